package egress

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
)

// A Network is addresses that may be reached: those of Prefix, on Port or on any.
type Network struct {
	Prefix netip.Prefix
	Port   uint16 // 0 is every port
}

// ParseNetwork reads 10.1.0.0/16, fd00::/8, and with a port 10.1.0.0/16:8080 and [fd00::/8]:8080.
func ParseNetwork(s string) (Network, error) {
	prefix, port := s, ""
	if inside, ok := strings.CutPrefix(s, "["); ok {
		if prefix, port, ok = strings.Cut(inside, "]:"); !ok || port == "" || !strings.Contains(prefix, ":") {
			return Network{}, errNetwork(s)
		}
	} else if strings.Count(s, ":") == 1 {
		if prefix, port, _ = strings.Cut(s, ":"); port == "" {
			return Network{}, errNetwork(s)
		}
	}
	var n Network
	var err error
	if n.Prefix, err = netip.ParsePrefix(prefix); err != nil {
		return Network{}, errNetwork(s)
	}
	if port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return Network{}, errNetwork(s)
		}
		n.Port = uint16(number)
	}
	return n, nil
}

func errNetwork(s string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "egress.network",
		Message: strconv.Quote(s) + " is no network; write 10.1.0.0/16, or with a port of 1 to 65535 " +
			"10.1.0.0/16:8080 " +
			"or [fd00::/8]:8080"}
}

// MustParseNetworks is ParseNetwork of each, for networks that stand in a program.
func MustParseNetworks(texts ...string) []Network {
	networks := make([]Network, len(texts))
	for i, s := range texts {
		var err error
		if networks[i], err = ParseNetwork(s); err != nil {
			panic(err)
		}
	}
	return networks
}

// String writes the network as ParseNetwork reads it.
func (n Network) String() string {
	switch port := strconv.Itoa(int(n.Port)); {
	case n.Port == 0:
		return n.Prefix.String()
	case n.Prefix.Addr().Is4():
		return n.Prefix.String() + ":" + port
	default:
		return "[" + n.Prefix.String() + "]:" + port
	}
}

// MarshalText writes what String does.
func (n Network) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads what ParseNetwork does.
func (n *Network) UnmarshalText(text []byte) error {
	read, err := ParseNetwork(string(text))
	if err == nil {
		*n = read
	}
	return err
}

// Contains says whether the network has addr on port.
func (n Network) Contains(addr netip.Addr, port uint16) bool {
	return n.Prefix.Contains(addr) && (n.Port == 0 || n.Port == port)
}

// Everything says whether it holds every address of its family.
func (n Network) Everything() bool { return unmapPrefix(n.Prefix).Bits() == 0 }

func inNetworks(networks []Network, addr netip.Addr, port uint16) bool {
	return slices.ContainsFunc(networks, func(n Network) bool { return n.Contains(addr, port) })
}

// unmapPrefix writes ::ffff:10.0.0.0/104 as 10.0.0.0/8, the form in which addresses are judged.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked()
}
