extension Double {
    /// The number with so many digits after the point, rounded half away from zero; `nan` and `inf` as they are.
    package func text(decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        // What no integer holds, infinities and NaN too.
        guard abs(self) * scale < 9e18 else { return "\(self)" }
        let rounded = Int64((abs(self) * scale).rounded())
        let sign = self < 0 && rounded != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(rounded)" }
        let digits = String(rounded)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
