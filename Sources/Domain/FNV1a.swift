extension UInt128 {
    /// The FNV-1a hash of bytes. It is not cryptographic: different bytes can be made to have the same hash.
    ///
    /// Source: draft-eastlake-fnv-17, 128 bits.
    package init(fnv1a bytes: some Sequence<UInt8>) {
        self = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in bytes {
            self ^= UInt128(byte)
            self &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
    }
}
