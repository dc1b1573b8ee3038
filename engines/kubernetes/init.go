package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const (
	// What machine-init is started with: see startMachine.
	readyFile  = 3
	lifeFile   = 4
	imagesFile = 5

	nodeLink      = "eth0"
	runtimeSocket = "/run/containerd.sock"
	cniPlugins    = "/usr/lib/cni"
	cniFolder     = "/run/cni"

	kubeletFolder    = "/var/lib/kubelet"
	containerdFolder = "/var/lib/containerd"
	logsFolder       = "/var/log/pods"

	restartAfter   = time.Second
	shutdownPeriod = 5 * time.Second
)

// machineInit is the first program of a node, in namespaces of its own. It makes the node's root and network, starts the
// programs of the node, and starts again what ends.
func machineInit(_ context.Context, words []string) error {
	var options machineOptions
	_ = machineFlags(&options).Parse(words)
	// Closed when the node has its link and its control groups.
	if _, err := io.ReadAll(os.NewFile(readyFile, "ready")); err != nil {
		return err
	}
	life := os.NewFile(lifeFile, "life")
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("the namespace of control groups: %w", err)
	}
	if err := makeRoot(options); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(options.name)); err != nil {
		return err
	}
	if err := joinNetwork(options); err != nil {
		return fmt.Errorf("the node's network: %w", err)
	}
	if err := writeConfiguration(options); err != nil {
		return err
	}
	return supervise(options, life)
}

// mount is one mount of a node's root.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
	// It cannot be written to.
	isFixed bool
}

// makeRoot makes a root with nothing of this machine but its programs, which cannot be changed, and the node's own folder.
func makeRoot(options machineOptions) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("the node's mounts: %w", err)
	}
	root := filepath.Join(options.dir, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("node", root, "tmpfs", 0, "mode=755,size=64m"); err != nil {
		return fmt.Errorf("the node's root: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	mounts := []mount{
		{source: "proc", target: "/proc", kind: "proc", flags: unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{source: "sysfs", target: "/sys", kind: "sysfs", flags: unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{source: "dev", target: "/dev", kind: "tmpfs", flags: unix.MS_NOSUID, data: "mode=755,size=64k"},
		{source: "devpts", target: "/dev/pts", kind: "devpts", flags: unix.MS_NOSUID | unix.MS_NOEXEC, data: "newinstance,ptmxmode=0666,mode=620"},
		{source: "shm", target: "/dev/shm", kind: "tmpfs", flags: unix.MS_NOSUID | unix.MS_NODEV, data: "mode=1777,size=64m"},
		{source: "mqueue", target: "/dev/mqueue", kind: "mqueue", flags: unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{source: options.dir, target: options.dir, flags: unix.MS_BIND},
	}
	// Where programs look for these, and short: the name of a socket has 107 characters at most.
	for name, target := range map[string]string{"kubelet": kubeletFolder, "containerd": containerdFolder, "logs": logsFolder} {
		source := filepath.Join(options.dir, name)
		// The node could have put a link there, which would show it what it leads to.
		if info, err := os.Lstat(source); err == nil && !info.IsDir() {
			if err := os.Remove(source); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(source, 0o755); err != nil {
			return err
		}
		mounts = append(mounts, mount{source: source, target: target, flags: unix.MS_BIND})
	}
	for _, name := range []string{"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/ssl", "/etc/ld.so.cache"} {
		if link, err := os.Readlink(name); err == nil {
			if err := os.Symlink(link, root+name); err != nil {
				return err
			}
		} else if _, err := os.Stat(name); err == nil {
			mounts = append(mounts, mount{source: name, target: name, flags: unix.MS_BIND | unix.MS_REC, isFixed: true})
		}
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		mounts = append(mounts, mount{source: "/dev/" + name, target: "/dev/" + name, flags: unix.MS_BIND})
	}
	mounts = append(mounts, mount{source: self, target: self, flags: unix.MS_BIND, isFixed: true})
	if options.names != "" {
		mounts = append(mounts, mount{source: options.names, target: options.names, flags: unix.MS_BIND, isFixed: true})
	}
	if options.volumes != "" {
		mounts = append(mounts, mount{source: options.volumes, target: volumesFolder, flags: unix.MS_BIND})
	}
	for _, each := range mounts {
		if err := each.make(root); err != nil {
			return err
		}
	}
	if options.images != "" {
		target := root + options.images
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := unix.MoveMount(imagesFile, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("cannot mount the archives of images: %w", err)
		}
	}
	if err := mountGroups(root); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"/etc/passwd":        "root:x:0:0:root:/root:/bin/sh\n",
		"/etc/group":         "root:x:0:\n",
		"/etc/hosts":         "127.0.0.1 localhost\n::1 localhost\n" + addressAlone(options) + " " + options.name + "\n",
		"/etc/nsswitch.conf": "hosts: files dns\n",
		"/etc/resolv.conf":   "nameserver " + egressNames + "\n",
	} {
		if err := os.WriteFile(root+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{"/run", "/tmp", "/root", "/opt", "/var/log", "/var/lib", cniFolder, "/dev/fd"} {
		if err := os.MkdirAll(root+name, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	_ = os.Remove(root + "/dev/fd")
	_ = os.Symlink("/proc/self/fd", root+"/dev/fd")
	_ = os.Symlink("pts/ptmx", root+"/dev/ptmx")
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("the node's root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("the node's root: %w", err)
	}
	// Mounts that kubelets make are seen by the pods that ask for them.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return err
	}
	return unix.Chdir("/")
}

func addressAlone(options machineOptions) string {
	address, _, _ := strings.Cut(options.address, "/")
	return address
}

func (m mount) make(root string) error {
	target := root + m.target
	info, err := os.Stat(m.source)
	if m.flags&unix.MS_BIND != 0 && err == nil && !info.IsDir() {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, nil, 0o644); err != nil {
			return err
		}
	} else if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(m.source, target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("cannot mount %s: %w", m.target, err)
	}
	if !m.isFixed {
		return nil
	}
	// What the mount of this machine forbids cannot be allowed here.
	var stat unix.Statfs_t
	if err := unix.Statfs(target, &stat); err != nil {
		return err
	}
	kept := uintptr(stat.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME)
	if err := unix.Mount("", target, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|kept, ""); err != nil {
		return fmt.Errorf("cannot protect %s: %w", m.target, err)
	}
	return nil
}

// mountGroups shows the node its own control groups, which containers divide.
func mountGroups(root string) error {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if isUnified() {
		if err := unix.Mount("cgroup", root+groupsRoot, "cgroup2", flags, ""); err != nil {
			return fmt.Errorf("cannot mount the control groups: %w", err)
		}
		return delegateGroups(root + groupsRoot)
	}
	if err := unix.Mount("cgroup", root+groupsRoot, "tmpfs", flags, "mode=755,size=64k"); err != nil {
		return fmt.Errorf("cannot mount the control groups: %w", err)
	}
	for _, group := range strings.Split(os.Getenv("VIRGA_CGROUPS"), ",") {
		controller, _, _ := strings.Cut(strings.TrimPrefix(group, groupsRoot+"/"), "/")
		target := filepath.Join(root+groupsRoot, controller)
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("cgroup", target, "cgroup", flags, controller); err != nil {
			return fmt.Errorf("cannot mount the control groups of %s: %w", controller, err)
		}
	}
	return nil
}

// delegateGroups moves this program into a group beside those of containers: a group with processes has no parts.
func delegateGroups(root string) error {
	own := filepath.Join(root, "system")
	if err := os.MkdirAll(own, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte("1"), 0o644); err != nil {
		return fmt.Errorf("the node's control group: %w", err)
	}
	all, err := os.ReadFile(filepath.Join(root, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for _, controller := range strings.Fields(string(all)) {
		_ = os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
	}
	return nil
}

func joinNetwork(options machineOptions) error {
	prefix, err := netip.ParsePrefix(options.address)
	if err != nil {
		return err
	}
	if err := up("lo"); err != nil {
		return err
	}
	if err := address(nodeLink, prefix); err != nil {
		return err
	}
	if err := netlink.RouteReplace(&netlink.Route{Gw: net.IP(prefix.Masked().Addr().Next().AsSlice())}); err != nil {
		return err
	}
	for _, name := range []string{"ip_forward", "conf/all/route_localnet"} {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte("1"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// program is one that a node always has.
type program struct {
	words []string
	child *exec.Cmd
	due   time.Time
}

// supervise starts the programs of a node, starts again those that end, and takes leave of those that nobody else waits for.
func supervise(options machineOptions, life *os.File) error {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	ends := make(chan struct{})
	go func() {
		takeCertificates(options, life)
		close(ends)
	}()
	go keepCurrent(context.Background(), func() error { return askForCertificates(options, life) })
	programs := programsOf(options)
	timer := time.NewTicker(100 * time.Millisecond)
	defer timer.Stop()
	for {
		for _, each := range programs {
			if each.child == nil && !time.Now().Before(each.due) {
				if err := each.start(); err != nil {
					return err
				}
			}
		}
		select {
		case <-ends:
			return end(programs)
		case <-children:
		case <-timer.C:
		}
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
			if err != nil || pid <= 0 {
				break
			}
			for _, each := range programs {
				if each.child != nil && each.child.Process.Pid == pid {
					fmt.Fprintf(os.Stderr, "virga-kubernetes: %s has ended, and is started again\n", each.words[0])
					each.child, each.due = nil, time.Now().Add(restartAfter)
				}
			}
		}
	}
}

func (p *program) start() error {
	child := exec.Command(p.words[0], p.words[1:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TMPDIR=/tmp"}
	if err := child.Start(); err != nil {
		return fmt.Errorf("cannot start %s: %w", p.words[0], err)
	}
	p.child = child
	return nil
}

// end ends the kubelet first, so that it does not start again what ends with the runtime.
func end(programs []*program) error {
	for i := len(programs) - 1; i >= 0; i-- {
		if child := programs[i].child; child != nil {
			_ = child.Process.Signal(syscall.SIGTERM)
		}
	}
	// Containers end with this program: it is the first one of their namespace.
	for waited := time.Duration(0); waited < shutdownPeriod; waited += 20 * time.Millisecond {
		var status syscall.WaitStatus
		if pid, _ := syscall.Wait4(programs[len(programs)-1].child.Process.Pid, &status, syscall.WNOHANG, nil); pid != 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}
