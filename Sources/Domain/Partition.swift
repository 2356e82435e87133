extension RandomAccessCollection where Index == Int {
    /// The index after the leading elements that fit. All that fit must precede those that do not.
    package func partition(_ fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fits(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
