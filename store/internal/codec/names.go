package codec

// EachHash calls do for everything in data that may be a sha256.
func EachHash(data []byte, do func(sha256 string)) {
	const length = 64
	begun := 0
	for i := 0; i <= len(data); i++ {
		if i < len(data) && (data[i] >= '0' && data[i] <= '9' || data[i] >= 'a' && data[i] <= 'f') {
			continue
		}
		if i-begun == length {
			do(string(data[begun:i]))
		}
		begun = i + 1
	}
}
