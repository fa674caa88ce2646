package cogtrix

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add("", "get_weather", newGetWeather)
	Definitions.Add(Name, "get_weather", newOriginalGetWeather)
}

type getWeatherInput struct {
	Location string `json:"location" jsonschema:"a city, with its country where several have the name (Paris,FR), or LATITUDE,LONGITUDE (48.86,2.35)" bounds:"1..200"`
	Units    string `json:"units,omitempty" jsonschema:"metric: °C and m/s; imperial: °F and mph; standard or kelvin: K and m/s" default:"metric" oneof:"metric imperial standard kelvin"`
}

type originalGetWeatherInput struct {
	Location string `json:"location" jsonschema:"city name or coordinates as LATITUDE,LONGITUDE" bounds:"1..200"`
	Units    string `json:"units,omitempty" jsonschema:"metric: °C and m/s; imperial: °F and mph" default:"metric" oneof:"metric imperial"`
}

// originalWeather is Cogtrix's promise; a field that the service did not give is absent, not zero.
type originalWeather struct {
	Temperature *float64 `json:"temperature,omitempty"`
	FeelsLike   *float64 `json:"feels_like,omitempty"`
	Humidity    *float64 `json:"humidity,omitempty" jsonschema:"%"`
	Description string   `json:"description"`
	WindSpeed   *float64 `json:"wind_speed,omitempty"`
}

type originalWeatherOutput struct {
	originalWeather
	text string
}

// Text is the weather as a model reads it.
func (o originalWeatherOutput) Text() string { return o.text }

type weatherOutput struct {
	Location string `json:"location" jsonschema:"the place as the service names it"`
	Country  string `json:"country,omitempty"`
	originalWeather
	Units      string    `json:"units" jsonschema:"metric, imperial or standard"`
	Pressure   *float64  `json:"pressure,omitempty" jsonschema:"hPa"`
	Clouds     *float64  `json:"clouds,omitempty" jsonschema:"% of the sky"`
	Visibility *float64  `json:"visibility,omitempty" jsonschema:"metres"`
	Latitude   *float64  `json:"latitude,omitempty"`
	Longitude  *float64  `json:"longitude,omitempty"`
	Time       time.Time `json:"time,omitzero" jsonschema:"when it was observed"`
	text       string
}

// Text is the weather as a model reads it.
func (o weatherOutput) Text() string { return o.text }

func (d Deps) getWeatherSpec() tool.Spec {
	s := tool.Spec{Name: "get_weather", Title: "Current weather",
		Description: tool.Description(descriptions, "get_weather"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}}
	if d.Weather == nil {
		s.Hidden = "set weather.api_key or OPENWEATHER_API_KEY"
	}
	return s
}

func newGetWeather(d Deps) *tool.Tool {
	return tool.New(d.getWeatherSpec(), func(ctx context.Context, in getWeatherInput) (weatherOutput, error) {
		if in.Units == "kelvin" {
			in.Units = "standard"
		}
		where, o, err := d.weather(ctx, in.Location, in.Units)
		if err != nil {
			return weatherOutput{}, err
		}
		text := weatherText(where, in.Units, o)
		if !o.Time.IsZero() {
			text += "Observed: " + o.Time.Format(time.RFC3339) + "\n"
		}
		return weatherOutput{Location: where, Country: o.Country, originalWeather: originalOf(o), Units: in.Units,
			Pressure: o.Pressure, Clouds: o.Clouds,
			Visibility: o.Visibility, Latitude: o.Latitude, Longitude: o.Longitude, Time: o.Time, text: text}, nil
	})
}

func newOriginalGetWeather(d Deps) *tool.Tool {
	return tool.New(d.getWeatherSpec(), func(ctx context.Context,
		in originalGetWeatherInput) (originalWeatherOutput, error) {
		where, o, err := d.weather(ctx, in.Location, in.Units)
		if err != nil {
			return originalWeatherOutput{}, err
		}
		return originalWeatherOutput{originalOf(o), weatherText(where, in.Units, o)}, nil
	})
}

// weather asks, and returns how the place is called, too: in the caller's words where the service has none, as at sea.
func (d Deps) weather(ctx context.Context, location, units string) (string, observation, error) {
	p, err := parsePlace(location)
	if err != nil {
		return "", observation{}, err
	}
	o, err := d.Weather.now(ctx, p, units)
	where := o.Place
	if where == "" {
		where = text.OneLine(tool.CleanLines(location))
	}
	return where, o, err
}

func originalOf(o observation) originalWeather {
	return originalWeather{o.Temperature, o.FeelsLike, o.Humidity, o.Description, o.WindSpeed}
}

// weatherText is the weather in lines; what is not known has none.
func weatherText(where, units string, o observation) string {
	degrees, speed := "°C", "m/s"
	switch units {
	case "imperial":
		degrees, speed = "°F", "mph"
	case "standard":
		degrees = "K"
	}
	if o.Country != "" {
		where += ", " + o.Country
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Weather in %s:\n\n", where)
	line := func(name string, value *float64, unit string) {
		if value != nil {
			fmt.Fprintf(&b, "%s: %s%s\n", name, jsonform.Number(*value), unit)
		}
	}
	if o.Description != "" {
		fmt.Fprintf(&b, "Condition: %s\n", o.Description)
	}
	line("Temperature", o.Temperature, " "+degrees)
	line("Feels like", o.FeelsLike, " "+degrees)
	line("Humidity", o.Humidity, "%")
	line("Pressure", o.Pressure, " hPa")
	line("Wind", o.WindSpeed, " "+speed)
	line("Cloudiness", o.Clouds, "%")
	if o.Visibility != nil {
		fmt.Fprintf(&b, "Visibility: %.1f km\n", *o.Visibility/1000)
	}
	return b.String()
}
