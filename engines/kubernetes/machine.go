package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// A user namespace has this many accounts: as many as images may name.
const accountsOfMachine = 65_536

// machine is a node that runs pods: a set of namespaces with a root of its own, in which containerd, a kubelet and kube-proxy
// run. Its accounts are --first-account and those after it, so that root of the node is nobody on this machine. When this
// program ends, so does all that is in it.
type machineOptions struct {
	dir, authority, network, name, id, address, server, names string
	labels, taints, pods, images, volumes, mirror             string
	account, firstAccount, cores, memory, maxPods             int
}

func machineFlags(options *machineOptions) *flag.FlagSet {
	flags := flag.NewFlagSet("machine", flag.ExitOnError)
	flags.StringVar(&options.dir, "dir", ".", "where the files of the node are")
	flags.StringVar(&options.authority, "authority", ".", "where ca.crt and ca.key are")
	flags.StringVar(&options.network, "network", "", "the network namespace of the cluster")
	flags.StringVar(&options.name, "name", "", "what the node is called")
	flags.StringVar(&options.id, "id", "", "which machine it is")
	flags.StringVar(&options.address, "address", "", "its address, with the length of the subnet")
	flags.StringVar(&options.server, "server", "", "where the API server listens for nodes")
	flags.StringVar(&options.labels, "labels", "", "KEY=VALUE,…")
	flags.StringVar(&options.taints, "taints", "", "KEY=VALUE:EFFECT,…")
	flags.StringVar(&options.pods, "pods", "10.244.0.0/16", "where the addresses of pods come from")
	flags.StringVar(&options.names, "names", "", "the program that answers for names of services")
	flags.StringVar(&options.images, "images", "", "a folder with archives of images")
	flags.StringVar(&options.volumes, "volumes", "", "the folder of the volumes of the cluster")
	flags.StringVar(&options.mirror, "mirror", "", "the address of a registry that is asked first for images")
	flags.IntVar(&options.account, "account", 0, "whom this program becomes")
	flags.IntVar(&options.firstAccount, "first-account", 0, "who root of the node is")
	flags.IntVar(&options.cores, "cores", 1, "processors that its pods may have")
	flags.IntVar(&options.memory, "memory", 1024, "MiB that its pods may have")
	flags.IntVar(&options.maxPods, "max-pods", 110, "how many pods it takes")
	return flags
}

func machine(ctx context.Context, words []string) error {
	var options machineOptions
	flags := machineFlags(&options)
	remove := flags.Bool("remove", false, "remove what a machine that has ended left")
	_ = flags.Parse(words)
	if *remove {
		return removeGroups(options.id)
	}
	// The child ends when the thread does that started it.
	runtime.LockOSThread()
	if err := prepareMachine(options); err != nil {
		return err
	}
	groups, err := makeGroups(options)
	if err != nil {
		return err
	}
	child, ready, life, err := startMachine(options, words, groups)
	if err != nil {
		return err
	}
	if err := plug(options, child.Process.Pid); err != nil {
		_ = child.Process.Kill()
		return fmt.Errorf("the node's network: %w", err)
	}
	if err := ready.Close(); err != nil {
		return err
	}
	// What follows needs no rights; the control groups are removed by whoever has them.
	if err := become(options.account); err != nil {
		_ = child.Process.Kill()
		return err
	}
	go func() {
		if err := signFor(options, life); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "virga-kubernetes: certificates of the node:", err)
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case err = <-ended:
		return fmt.Errorf("the node has ended: %v", err)
	case <-ctx.Done():
		_ = life.Close()
		<-ended
		return nil
	}
}

// prepareMachine makes the files that a node needs of this machine: its keys, and folders that its root owns.
func prepareMachine(options machineOptions) error {
	if err := os.MkdirAll(options.dir, 0o700); err != nil {
		return err
	}
	ca, err := readAuthority(options.authority)
	if err != nil {
		return err
	}
	files := []string{"", "ca.crt"}
	for name, who := range identitiesOf(options) {
		file := filepath.Join(options.dir, name)
		if err := ca.issue(file, who); err != nil {
			return err
		}
		if err := ca.kubeconfig(file, "https://"+options.server+":"+apiPort); err != nil {
			return err
		}
		files = append(files, name+".crt", name+".key", name+".conf")
	}
	if err := write(filepath.Join(options.dir, "ca.crt"), ca.pem); err != nil {
		return err
	}
	for _, name := range files {
		if err := os.Lchown(filepath.Join(options.dir, name), options.firstAccount, options.firstAccount); err != nil {
			return err
		}
	}
	if options.volumes == "" {
		return nil
	}
	if err := os.MkdirAll(options.volumes, 0o711); err != nil {
		return err
	}
	return os.Lchown(options.volumes, options.firstAccount, options.firstAccount)
}

// startMachine starts the first program of a node. It waits until the first file is closed, and ends when the second one is,
// through which it asks for certificates.
func startMachine(options machineOptions, words []string, groups []string) (*exec.Cmd, *os.File, *os.File, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	waits, ready, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	defer waits.Close()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	lives, life := os.NewFile(uintptr(ends[0]), "life"), os.NewFile(uintptr(ends[1]), "life")
	defer lives.Close()
	mapping := []syscall.SysProcIDMap{{ContainerID: 0, HostID: options.firstAccount, Size: accountsOfMachine}}
	child := exec.Command(self, append([]string{"machine-init"}, words...)...)
	child.ExtraFiles = []*os.File{waits, lives}
	if options.images != "" {
		images, err := cloneMount(options.images)
		if err != nil {
			return nil, nil, nil, err
		}
		defer images.Close()
		child.ExtraFiles = append(child.ExtraFiles, images)
	}
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.Env = []string{"VIRGA_CGROUPS=" + strings.Join(groups, ",")}
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings:                mapping,
		GidMappings:                mapping,
		GidMappingsEnableSetgroups: true,
		Credential:                 &syscall.Credential{Uid: 0, Gid: 0},
		Pdeathsig:                  syscall.SIGKILL,
	}
	if err := child.Start(); err != nil {
		return nil, nil, nil, fmt.Errorf("cannot start the node: %w", err)
	}
	for _, group := range groups {
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(fmt.Sprint(child.Process.Pid)), 0o644); err != nil {
			_ = child.Process.Kill()
			return nil, nil, nil, fmt.Errorf("the node's control group: %w", err)
		}
	}
	return child, ready, life, nil
}

// cloneMount is a folder of this machine that a node may mount, although it may not pass through those above it.
func cloneMount(folder string) (*os.File, error) {
	tree, err := unix.OpenTree(unix.AT_FDCWD, folder, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", folder, err)
	}
	fixed := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, fixed); err != nil {
		_ = unix.Close(tree)
		return nil, fmt.Errorf("cannot protect %s: %w", folder, err)
	}
	return os.NewFile(uintptr(tree), folder), nil
}

// plug connects a node with the network of its cluster.
func plug(options machineOptions, pid int) error {
	theirs, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer theirs.Close()
	network, err := os.Open(options.network)
	if err != nil {
		return err
	}
	defer network.Close()
	own, err := netip.ParsePrefix(options.address)
	if err != nil {
		return err
	}
	pods, err := netip.ParsePrefix(options.pods)
	if err != nil {
		return err
	}
	name := linkOf(options.id)
	return within(network, func() error {
		// One whose node was killed goes a little later by itself.
		if left, err := netlink.LinkByName(name); err == nil {
			_ = netlink.LinkDel(left)
		}
		bridge, err := netlink.LinkByName(bridgeName)
		if err != nil {
			return err
		}
		pair := &netlink.Veth{
			LinkAttrs:     netlink.LinkAttrs{Name: name, MasterIndex: bridge.Attrs().Index},
			PeerName:      nodeLink,
			PeerNamespace: netlink.NsFd(int(theirs.Fd())),
		}
		if err := netlink.LinkAdd(pair); err != nil {
			return err
		}
		if err := up(name); err != nil {
			return err
		}
		// The API server calls webhooks in pods. Each node knows where the pods of all others are.
		return netlink.RouteReplace(&netlink.Route{Dst: prefixOf(pods), Gw: own.Addr().AsSlice()})
	})
}

// linkOf is the name of a node's link: a name of a link has 15 characters at most.
func linkOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "n" + hex.EncodeToString(sum[:])[:12]
}
