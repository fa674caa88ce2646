package extract

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// A lock is how the standard security handler encrypts a file that an empty password opens
// (ISO 32000-1, 7.6).
type lock struct {
	revision, bits int
	aes, noMeta    bool
	open           bool   // the streams are not encrypted
	dict           string // what the encryption dictionary has besides
}

// passwordPadding stands for the characters that a password lacks.
const passwordPadding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E" +
	"\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

func rc4With(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// file is a page of words under the lock.
func (l lock) file() []byte {
	const id, permissions = "\x01\x02\x03\x04", -4
	owner := bytes.Repeat([]byte{0xab}, 32)
	hashed := binary.LittleEndian.AppendUint32(slices.Concat([]byte(passwordPadding), owner), 1<<32+permissions)
	hashed = append(hashed, id...)
	if l.noMeta {
		hashed = append(hashed, 255, 255, 255, 255)
	}
	sum := md5.Sum(hashed)
	key := sum[:l.bits/8]
	user := rc4With(key, []byte(passwordPadding))
	if l.revision >= 3 {
		for range 50 {
			sum = md5.Sum(key)
			key = sum[:l.bits/8]
		}
		check := md5.Sum([]byte(passwordPadding + id))
		user = check[:]
		for i := range 20 {
			round := bytes.Clone(key)
			for j := range round {
				round[j] ^= byte(i)
			}
			user = rc4With(round, user)
		}
		user = append(user, make([]byte, 16)...)
	}
	content := []byte(extracttest.WordsOfAPage)
	if !l.open {
		content = l.encrypt(key, content)
	}
	return extracttest.WritePDF(fmt.Sprintf("/ID[<%x><%x>]/Encrypt 6 0 R", id, id), "<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		extracttest.Stream("", string(content)), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		fmt.Sprintf("<</Filter/Standard/R %d/P %d/O<%x>/U<%x>%s>>", l.revision, permissions, owner, user, l.dict))
}

// encrypt is what stands in the stream of object 4.
func (l lock) encrypt(key, content []byte) []byte {
	own := append(bytes.Clone(key), 4, 0, 0, 0, 0)
	if l.aes {
		own = append(own, "sAlT"...)
	}
	sum := md5.Sum(own)
	own = sum[:min(16, len(key)+5)]
	if !l.aes {
		return rc4With(own, content)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		panic(err)
	}
	pad := aes.BlockSize - len(content)%aes.BlockSize
	content = append(content, bytes.Repeat([]byte{byte(pad)}, pad)...)
	vector := []byte("0123456789abcdef")
	out := make([]byte, len(content))
	cipher.NewCBCEncrypter(block, vector).CryptBlocks(out, content)
	return append(vector, out...)
}

// What an empty password opens is read, and what is not encrypted though its file says so.
func TestPDFOfAnEmptyPassword(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, l := range map[string]lock{
		"RC4 of 40 bits":       {revision: 2, bits: 40, dict: "/V 1"},
		"RC4 of unsaid length": {revision: 3, bits: 40, dict: "/V 2"},
		"RC4 of 128 bits":      {revision: 3, bits: 128, dict: "/V 2/Length 128"},
		"RC4 as a filter": {revision: 4, bits: 128, dict: "/V 4/Length " +
			"128/CF<</StdCF<</CFM/V2/AuthEvent/DocOpen/Length 16>>>>/StmF/StdCF/StrF/StdCF"},
		"AES": {revision: 4, bits: 128, aes: true,
			dict: "/V 4/Length 128/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/StdCF/StrF/StdCF"},
		"AES, open metadata": {revision: 4, bits: 128, aes: true, noMeta: true,
			dict: "/V 4/Length 128/EncryptMetadata false/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length " +
				"16>>>>/StmF/StdCF/StrF/StdCF"},
		"AES by a name of one's": {revision: 4, bits: 128, aes: true,
			dict: "/V 4/Length 128/CF<</Own<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/Own/StrF/Own"},
		"Identity": {revision: 4, bits: 128, open: true,
			dict: "/V 4/Length 128/CF<<>>/StmF/Identity/StrF/Identity"},
		"attachments alone": {revision: 4, bits: 128, open: true,
			dict: "/V 4/Length 128/CF<</StdCF<</CFM/AESV2/AuthEvent/EFOpen/Length 16>>>>/EFF/StdCF"},
		"a filter of no method": {revision: 4, bits: 128, open: true,
			dict: "/V 4/Length 128/CF<</StdCF<</CFM/None>>>>/StmF/StdCF/StrF/StdCF"},
		"strings alone encrypted": {revision: 4, bits: 128, open: true,
			dict: "/V 4/Length 128/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/Identity/StrF/StdCF"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := readDocument("http://quern.example/a.pdf", pdf.Type, l.file())
			if err != nil || !strings.Contains(document.Text, "The words of the first page") {
				t.Errorf("%q, %v", document.Text, err)
			}
		})
	}
}

// A PDF of 100,000 pages, each of which has objects of its own, gives its first ones; one
// that is cut, too.
func TestPDFOfManyPages(t *testing.T) {
	extracttest.Measured(t)
	const pages = 100_000
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
	var kids []string
	for n := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", len(objects)+1))
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", len(objects)+2),
			extracttest.Stream("", fmt.Sprintf("BT /F1 10 Tf 72 600 Td (These are the words of number %d.) Tj ET",
				n+1)))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/Resources<</Font<</F1 3 0 R>>>>>>", pages,
		strings.Join(kids, " "))
	body := extracttest.WritePDF("", objects...)
	for name, body := range map[string][]byte{"whole": body, "cut": body[:len(body)*2/3]} {
		t.Run(name, func(t *testing.T) {
			document, err := New(Options{MaxBytes: 64 << 20, Timeout: time.Minute}).Extract(t.Context(),
				citewell.Page{URL: "http://quern.example/", Body: body})
			if err != nil || !document.Truncated || !strings.Contains(document.Degraded, "of 100000") {
				t.Fatalf("%v, truncated %v: %s", err, document.Truncated, document.Degraded)
			}
			if !strings.Contains(document.Text, "Page 500\n\nThese are the words of number 500.") {
				t.Errorf("page 500 is not there: %.300s", document.Text)
			}
		})
	}
}
