package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

const (
	egressLink = "tap0"
	// Where slirp4netns answers for the name servers of this machine.
	egressNames = "10.0.2.3"
)

// startEgress lets the network of a cluster reach what is outside of this machine, through a program in user space. It ends when the returned file is closed. Without slirp4netns on this machine
// nothing is started.
func startEgress(namespace string) (*os.File, error) {
	program, err := exec.LookPath("slirp4netns")
	if err != nil {
		return nil, nil
	}
	ends, life, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ends.Close()
	child := exec.Command(program,
		"--configure", "--mtu=1500", "--disable-host-loopback", "--enable-sandbox", "--enable-seccomp", "--exit-fd=3",
		"--netns-type=path", namespace, egressLink)
	child.ExtraFiles = []*os.File{ends}
	child.Env = []string{"PATH=" + os.Getenv("PATH")}
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("the way out: %w", err)
	}
	return life, nil
}
