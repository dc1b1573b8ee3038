package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const (
	bridgeName = "nodes"
	uplinkName = "up"
)

// network makes the network of a cluster, or removes it. It is a network namespace that a mount of --file keeps, so that it
// outlives the programs in it: a bridge for the nodes, and a link to this machine over which it reaches them. Nodes reach the
// API server there, and nothing of this machine.
//
//	nodes ── bridge (.1 of --nodes) ── link (.1 of --uplink) ── this machine (.2 of --uplink)
func network(_ context.Context, words []string) error {
	flags := flag.NewFlagSet("network", flag.ExitOnError)
	file := flags.String("file", "", "what keeps the network")
	link := flags.String("link", "", "the name of this machine's end")
	nodes := flags.String("nodes", "", "the subnet of the nodes")
	uplink := flags.String("uplink", "", "the subnet between this machine and the cluster")
	mirror := flags.String("mirror", "", "ADDRESS:PORT of a registry that nodes may reach, although it is near")
	remove := flags.Bool("remove", false, "remove it")
	_ = flags.Parse(words)
	if *remove {
		return removeNetwork(*file)
	}
	// What is left of this thread in another namespace ends with the program.
	runtime.LockOSThread()
	walls, err := wallsFor(*mirror)
	if err != nil {
		return err
	}
	if isNamespace(*file) {
		kept, err := os.Open(*file)
		if err != nil {
			return err
		}
		defer kept.Close()
		// The mirror and the addresses of this machine may be others now.
		return within(kept, func() error { return nftables(walls) })
	}
	nodesPrefix, err := netip.ParsePrefix(*nodes)
	if err != nil {
		return err
	}
	uplinkPrefix, err := netip.ParsePrefix(*uplink)
	if err != nil {
		return err
	}
	if err := refuseOverlaps(*link, nodesPrefix, uplinkPrefix); err != nil {
		return err
	}
	made, err := keepNamespace(*file)
	if err != nil {
		return err
	}
	defer made.Close()
	if err := connect(*link, made, nodesPrefix, uplinkPrefix, walls); err != nil {
		return errors.Join(err, removeNetwork(*file))
	}
	return nil
}

func isNamespace(file string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(file, &stat) == nil && stat.Type == unix.NSFS_MAGIC
}

func removeNetwork(file string) error {
	for isNamespace(file) {
		if err := unix.Unmount(file, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("cannot remove the network of the cluster: %w", err)
		}
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// keepNamespace makes a network namespace that the mount of a file keeps. This thread stays in it.
func keepNamespace(file string) (*os.File, error) {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	before, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer before.Close()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("cannot make a network namespace: %w", err)
	}
	if err := unix.Mount("/proc/thread-self/ns/net", file, "", unix.MS_BIND, ""); err != nil {
		return nil, fmt.Errorf("cannot keep the network namespace: %w", err)
	}
	made, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	return made, unix.Setns(int(before.Fd()), unix.CLONE_NEWNET)
}

// refuseOverlaps says when something of this machine has these addresses already.
func refuseOverlaps(link string, prefixes ...netip.Prefix) error {
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return err
	}
	for _, route := range routes {
		if route.Dst == nil {
			continue
		}
		bits, _ := route.Dst.Mask.Size()
		address, ok := netip.AddrFromSlice(route.Dst.IP.To4())
		if !ok || bits == 0 {
			continue
		}
		taken := netip.PrefixFrom(address, bits)
		owner, err := netlink.LinkByIndex(route.LinkIndex)
		if err == nil && owner.Attrs().Name == link {
			continue
		}
		for _, prefix := range prefixes {
			if taken.Overlaps(prefix) {
				return fmt.Errorf("addresses %s are in use on this machine (%s)", prefix, taken)
			}
		}
	}
	return nil
}

// connect makes what is in the network, and this machine's end of its link.
func connect(link string, made *os.File, nodes, uplink netip.Prefix, walls string) error {
	// One that a network left that was ended in the middle.
	if left, err := netlink.LinkByName(link); err == nil {
		if err := netlink.LinkDel(left); err != nil {
			return err
		}
	}
	inside := uplink.Masked().Addr().Next()
	outside := inside.Next()
	pair := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: link},
		PeerName:      uplinkName,
		PeerNamespace: netlink.NsFd(int(made.Fd())),
	}
	if err := netlink.LinkAdd(pair); err != nil {
		return fmt.Errorf("cannot make a link: %w", err)
	}
	if err := address(link, netip.PrefixFrom(outside, uplink.Bits())); err != nil {
		return err
	}
	ours, err := netlink.LinkByName(link)
	if err != nil {
		return err
	}
	if err := netlink.RouteAdd(&netlink.Route{LinkIndex: ours.Attrs().Index, Dst: prefixOf(nodes), Gw: inside.AsSlice()}); err != nil {
		return fmt.Errorf("cannot route to the nodes: %w", err)
	}
	return within(made, func() error {
		if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridgeName}}); err != nil {
			return fmt.Errorf("cannot make a bridge: %w", err)
		}
		if err := up("lo"); err != nil {
			return err
		}
		if err := address(bridgeName, netip.PrefixFrom(nodes.Masked().Addr().Next(), nodes.Bits())); err != nil {
			return err
		}
		if err := address(uplinkName, netip.PrefixFrom(inside, uplink.Bits())); err != nil {
			return err
		}
		if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
			return err
		}
		return nftables(walls)
	})
}

// wallsFor makes the walls of a cluster's network, which its nodes cannot change. This machine may reach the nodes; they
// reach the API server, the mirror of images and the world, but neither this machine nor what is near to it.
func wallsFor(mirror string) (string, error) {
	own, err := ownAddresses()
	if err != nil {
		return "", err
	}
	allowed := ""
	if mirror != "" {
		registry, err := netip.ParseAddrPort(mirror)
		if err != nil || !registry.Addr().Is4() {
			return "", fmt.Errorf("%s is not the IPv4 address and port of a registry", mirror)
		}
		allowed = fmt.Sprintf(`oifname "%s" ip daddr %s tcp dport %d accept`, egressLink, registry.Addr(), registry.Port())
	}
	return strings.NewReplacer("MIRROR", allowed, "NEAR", strings.Join(append(own, nearby), ", ")).Replace(walls), nil
}

// ownAddresses are those by which this machine is reached, but for those of its load balancers: nothing else is behind their
// prefix, and they are for everybody.
func ownAddresses() ([]string, error) {
	addresses, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, err
	}
	own := []string{}
	for _, each := range addresses {
		address, _ := netip.AddrFromSlice(each.IP.To4())
		bits, _ := each.Mask.Size()
		if bits == 32 || isNearby(address) {
			continue
		}
		own = append(own, address.String())
	}
	return own, nil
}

func isNearby(address netip.Addr) bool {
	for _, text := range strings.Split(nearby, ", ") {
		if netip.MustParsePrefix(text).Contains(address) {
			return true
		}
	}
	return false
}

const walls = `
table inet virga
delete table inet virga
table inet virga {
  set near {
    type ipv4_addr
    flags interval
    elements = { NEAR }
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    iifname "` + uplinkName + `" oifname "` + bridgeName + `" accept
    iifname "` + bridgeName + `" oifname "` + bridgeName + `" accept
    iifname "` + bridgeName + `" oifname "` + egressLink + `" ip daddr ` + egressNames + ` meta l4proto { tcp, udp } th dport 53 accept
    MIRROR
    iifname "` + bridgeName + `" oifname "` + egressLink + `" ip daddr @near reject
    iifname "` + bridgeName + `" oifname "` + egressLink + `" accept
    reject
  }
  chain input {
    type filter hook input priority filter; policy drop;
    iifname "lo" accept
    ct state established,related accept
    iifname "` + bridgeName + `" tcp dport ` + apiPort + ` accept
    iifname "` + bridgeName + `" meta l4proto { icmp, ipv6-icmp } accept
    reject
  }
  chain output {
    type filter hook output priority filter; policy accept;
    ct state established,related accept
    oifname "` + uplinkName + `" reject
    oifname "` + egressLink + `" ip daddr ` + egressNames + ` accept
    oifname "` + egressLink + `" ip daddr @near reject
  }
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "` + egressLink + `" masquerade
  }
}
`

// Addresses of this machine, of other clusters, and of networks that this machine is in.
const nearby = "0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 198.18.0.0/15, 224.0.0.0/3"

func nftables(rules string) error {
	command := exec.Command("nft", "-f", "-")
	command.Stdin = strings.NewReader(rules)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, said)
	}
	return nil
}

// within does something in a network namespace. The programs that it starts are there, too.
func within(namespace *os.File, what func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer before.Close()
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	return errors.Join(what(), unix.Setns(int(before.Fd()), unix.CLONE_NEWNET))
}

func up(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return netlink.LinkSetUp(link)
}

func address(name string, prefix netip.Prefix) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	own := &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen())}
	if err := netlink.AddrReplace(link, &netlink.Addr{IPNet: own}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return netlink.LinkSetUp(link)
}

func prefixOf(prefix netip.Prefix) *net.IPNet {
	masked := prefix.Masked()
	return &net.IPNet{IP: masked.Addr().AsSlice(), Mask: net.CIDRMask(masked.Bits(), masked.Addr().BitLen())}
}
