/// Median of the last `limit` values.
struct RunningMedian {
    private let limit: Int
    /// Ring buffer; once it is full, `oldest` is the index of the oldest value.
    private var values: [Double] = []
    private var oldest = 0
    private var sorted: [Double] = []

    init(limit: Int) {
        self.limit = limit
        values.reserveCapacity(limit)
        sorted.reserveCapacity(limit)
    }

    var count: Int { values.count }

    /// The values, oldest first.
    var inOrder: [Double] {
        Array(values[oldest...] + values[..<oldest])
    }

    /// Nil before the first value.
    var median: Double? {
        sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    mutating func append(_ value: Double) {
        if values.count < limit {
            values.append(value)
        } else {
            sorted.remove(at: place(of: values[oldest]))
            values[oldest] = value
            oldest = (oldest + 1) % limit
        }
        sorted.insert(value, at: place(of: value))
    }

    /// Index of the first value that is not below `value`.
    private func place(of value: Double) -> Int {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
