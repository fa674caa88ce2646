// Package region reads the region of a query.
//
// Errors: invalid_argument.
package region

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/citewell/citewell"
)

var regionForm = regexp.MustCompile(`^[a-z]{2}-[a-z]{2,4}$`)

// Parse gives a region in the form of Query.Region, or invalid_argument.
func Parse(region string) (string, error) {
	region = strings.ToLower(region)
	if region == "" {
		return citewell.WholeWorld, nil
	}
	if !regionForm.MatchString(region) {
		return "", &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: fmt.Sprintf("region is %.40q; it must be COUNTRY-LANGUAGE, as in de-de", region),
			Hint:    citewell.WholeWorld + " is the whole world"}
	}
	return region, nil
}
