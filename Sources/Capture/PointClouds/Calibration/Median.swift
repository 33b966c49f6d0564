/// The element in the middle of the order, the upper one of two; the elements change their places.
///
/// Hoare's selection, without recursion; a sort would order more than the median of each frame needs.
func median(_ values: UnsafeMutablePointer<Float>, count: Int) -> Float {
    let middle = count / 2
    var low = 0
    var high = count - 1
    while low < high {
        let pivot = medianOfThree(values[low], values[(low + high) / 2], values[high])
        var left = low
        var right = high
        while left <= right {
            while values[left] < pivot { left &+= 1 }
            while values[right] > pivot { right &-= 1 }
            if left <= right {
                let value = values[left]
                values[left] = values[right]
                values[right] = value
                left &+= 1
                right &-= 1
            }
        }
        if middle <= right {
            high = right
        } else if middle >= left {
            low = left
        } else {
            break
        }
    }
    return values[middle]
}

private func medianOfThree(_ a: Float, _ b: Float, _ c: Float) -> Float {
    max(min(a, b), min(max(a, b), c))
}
