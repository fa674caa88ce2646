package cogtrix

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// OpenWeather asks OpenWeather's API for the current weather. It takes its key in the
// URL only, so the URL is shown to nobody. Docs: https://openweathermap.org/current
type OpenWeather struct {
	client    *http.Client
	endpoint  *url.URL
	key       citewell.Secret
	userAgent string
}

const (
	openWeatherURL     = "https://api.openweathermap.org/data/2.5"
	openWeatherTimeout = 10 * time.Second
	openWeatherBytes   = 256 << 10 // real answers have 500 bytes
)

// NewOpenWeather returns it at base, its public address where base is empty; invalid_config where base is no address.
func NewOpenWeather(guard *egress.Guard, key citewell.Secret, base, userAgent string) (*OpenWeather, error) {
	base = cmp.Or(base, openWeatherURL)
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "weather",
			Message: "weather.base_url is not an http or https URL",
			Hint:    "leave it out, or write it as " + openWeatherURL}
	}
	u.RawQuery, u.Fragment = "", ""
	switch path := strings.TrimRight(u.Path, "/"); {
	case path == "":
		u = u.JoinPath("data", "2.5", "weather")
	case !strings.HasSuffix(path, "/weather"):
		u = u.JoinPath("weather")
	}
	return &OpenWeather{guard.TrustedClient(u), u, key, userAgent}, nil
}

// An observation is what a station or a model says of a place; what is nil it did not say.
type observation struct {
	Place, Country, Description     string
	Temperature, FeelsLike          *float64 // in the units asked for
	Humidity, Pressure, Clouds      *float64 // %, hPa, %
	WindSpeed                       *float64 // in the units asked for
	Visibility, Latitude, Longitude *float64 // metres, degrees
	Time                            time.Time
}

// now returns the weather at a place, in metric, imperial or standard units.
func (w *OpenWeather) now(ctx context.Context, p place, units string) (observation, error) {
	ctx, cancel := context.WithTimeout(ctx, openWeatherTimeout)
	defer cancel()
	query := p.query()
	query.Set("units", units)
	query.Set("appid", w.key.Reveal())
	u := *w.endpoint
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		// err has the URL, and that the key
		return observation{}, weatherError(citewell.CodeInternal, "the request could not be made", "")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("User-Agent", w.userAgent)
	resp, err := w.client.Do(req)
	if err != nil {
		return observation{}, httpwire.Classify(weatherOp, err)
	}
	defer resp.Body.Close()
	body, truncated, err := httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: openWeatherBytes})
	if err != nil && resp.StatusCode == http.StatusOK {
		return observation{}, httpwire.Classify(weatherOp, err)
	}
	if truncated {
		return observation{}, weatherError(citewell.CodeResponseTooLarge,
			"the weather service sent more than 256 KiB", "")
	}
	return readWeather(resp.StatusCode, resp.Header, body)
}

const weatherOp = "get_weather"

func weatherError(code citewell.Code, message, hint string) *citewell.Error {
	return &citewell.Error{Code: code, Op: weatherOp, Message: message, Hint: hint}
}

// A looseNumber is a number, also where it stands in a string; anything else is none.
type looseNumber struct{ value *float64 }

// UnmarshalJSON never fails: one odd field must not cost the others.
func (n *looseNumber) UnmarshalJSON(data []byte) error {
	n.value = nil
	// neither infinite nor NaN
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `" `), 64); err == nil && f-f == 0 {
		n.value = &f
	}
	return nil
}

func (n looseNumber) or(otherwise int) int {
	if n.value == nil {
		return otherwise
	}
	return int(*n.value)
}

type openWeatherAnswer struct {
	Cod     looseNumber // a number, or a string with one
	Name    string
	DT      looseNumber
	Coord   struct{ Lat, Lon looseNumber }
	Weather []struct{ Description string }
	Main    struct {
		Temp, Humidity, Pressure looseNumber
		FeelsLike                looseNumber `json:"feels_like"`
	}
	Visibility looseNumber
	Wind       struct{ Speed looseNumber }
	Clouds     struct{ All looseNumber }
	Sys        struct{ Country string }
}

// readWeather reads an answer; its body has the status of an error too, and may have it alone behind a 200.
func readWeather(status int, header http.Header, body []byte) (observation, error) {
	var a openWeatherAnswer
	err := json.Unmarshal(body, &a)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		err = nil // a field of another type is a field that is missing
	}
	if status == http.StatusOK && err == nil {
		status = a.Cod.or(http.StatusOK)
	}
	if status != http.StatusOK {
		return observation{}, weatherRefused(status, header)
	}
	if err != nil {
		e := weatherError(citewell.CodeBadResponse, "the weather service sent something that is not its JSON",
			"check weather.base_url")
		e.Err = err
		return observation{}, e
	}
	o := observation{Place: text.OneLine(tool.CleanLines(a.Name)),
		Country: text.OneLine(tool.CleanLines(a.Sys.Country)), Temperature: a.Main.Temp.value,
		FeelsLike: a.Main.FeelsLike.value,
		Humidity:  a.Main.Humidity.value, Pressure: a.Main.Pressure.value, Clouds: a.Clouds.All.value,
		WindSpeed:  a.Wind.Speed.value,
		Visibility: a.Visibility.value, Latitude: a.Coord.Lat.value, Longitude: a.Coord.Lon.value}
	var descriptions []string
	for _, w := range a.Weather {
		if d := text.OneLine(tool.CleanLines(w.Description)); d != "" {
			descriptions = append(descriptions, d)
		}
	}
	o.Description, _ = tool.Window{MaxLength: 300}.Cut(strings.Join(descriptions, ", "))
	o.Place, _ = tool.Window{MaxLength: 200}.Cut(o.Place)
	o.Country, _ = tool.Window{MaxLength: 50}.Cut(o.Country)
	if dt := a.DT.value; dt != nil && *dt > 0 && *dt < 1e11 {
		o.Time = time.Unix(int64(*dt), 0).UTC()
	}
	if o.Temperature == nil && o.Description == "" && o.WindSpeed == nil {
		return observation{}, weatherError(citewell.CodeBadResponse, "the weather service answered without any weather",
			"check weather.base_url")
	}
	return o, nil
}

// weatherRefused says what a status means; the service's own words may hold the key and are not shown.
func weatherRefused(status int, header http.Header) error {
	said := fmt.Sprintf("the weather service answered %d", status)
	var e *citewell.Error
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e = weatherError(citewell.CodeAuth, said+": the key was refused",
			"check weather.api_key or OPENWEATHER_API_KEY; a new key works after some hours")
	case status == http.StatusNotFound:
		e = weatherError(citewell.CodeNotFound, "the weather service knows no such place",
			"a city with its country, as in Paris,FR, or coordinates, as in 48.86,2.35")
	case status == http.StatusTooManyRequests:
		e = weatherError(citewell.CodeRateLimited, said+": too many calls for now", "try again later")
	case status == http.StatusBadRequest:
		e = weatherError(citewell.CodeInvalidArgument, said+": it cannot read the location",
			"a city with its country, as in Paris,FR, or coordinates, as in 48.86,2.35")
	default:
		e = weatherError(citewell.CodeHTTPStatus, said, "try again later")
	}
	e.RetryAfter = httpwire.RetryAfter(header, time.Now())
	return e
}

// A place is a name, or coordinates.
type place struct {
	name     string
	lat, lon float64
	byPoint  bool
}

// parsePlace reads "Oslo", "Paris,FR" or "59.91, 10.75".
func parsePlace(location string) (place, error) {
	location = text.OneLine(location)
	north, east, comma := strings.Cut(location, ",")
	lat, errLat := strconv.ParseFloat(strings.TrimSpace(north), 64)
	lon, errLon := strconv.ParseFloat(strings.TrimSpace(east), 64)
	if !comma || errLat != nil || errLon != nil {
		return place{name: location}, nil
	}
	if !(lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180) { // NaN is in no range
		return place{}, weatherError(citewell.CodeInvalidArgument,
			"location has coordinates outside their range: latitude -90 to 90, longitude -180 to 180",
			"latitude comes first, as in 59.91,10.75")
	}
	return place{lat: lat, lon: lon, byPoint: true}, nil
}

func (p place) query() url.Values {
	if !p.byPoint {
		return url.Values{"q": {p.name}}
	}
	return url.Values{"lat": {jsonform.Number(p.lat)}, "lon": {jsonform.Number(p.lon)}}
}
