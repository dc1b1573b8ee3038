package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// The file of the listener that a control plane was started with, in the network of the cluster.
const handedListener = 3

// The file whose end ends the way out of the cluster.
const handedEgress = 4

// The last word of a control plane that is in the network of its cluster.
const entered = "--entered"

// enterNetwork starts this program again as an account, in the network of its cluster, with a listener in that of the machine.
// It returns only when it fails.
func enterNetwork(file, address string, account int) error {
	listener, err := net.Listen("tcp", address+":"+apiPort)
	if err != nil {
		return err
	}
	handed, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	network, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("the network of the cluster: %w", err)
	}
	egress, err := startEgress(file)
	if err != nil {
		return err
	}
	if egress != nil {
		// It ends with the program that follows.
		if err := unix.Dup2(int(egress.Fd()), handedEgress); err != nil {
			return err
		}
	}
	// The program that follows has the namespaces of this thread.
	runtime.LockOSThread()
	if err := unix.Setns(int(network.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("the network of the cluster: %w", err)
	}
	if err := unix.Dup2(int(handed.Fd()), handedListener); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := become(account); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, append(os.Args, entered), os.Environ())
}

// become gives up all rights but those of an account.
func become(account int) error {
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(account); err != nil {
		return err
	}
	return syscall.Setuid(account)
}

// both accepts what comes to a listener in the network of the cluster, or to one of the machine's.
type both struct {
	net.Listener
	accepted chan accepted
	closed   chan struct{}
	once     sync.Once
	other    net.Listener
}

type accepted struct {
	connection net.Conn
	err        error
}

// listenBoth listens at an address of the cluster's network, and with the listener that was handed.
func listenBoth(address string) (net.Listener, error) {
	inside, err := net.Listen("tcp", address+":"+apiPort)
	if err != nil {
		return nil, err
	}
	outside, err := net.FileListener(os.NewFile(handedListener, "listener"))
	if err != nil {
		return nil, err
	}
	merged := &both{Listener: inside, other: outside, accepted: make(chan accepted), closed: make(chan struct{})}
	for _, each := range []net.Listener{inside, outside} {
		go merged.take(each)
	}
	return merged, nil
}

func (b *both) take(from net.Listener) {
	for {
		connection, err := from.Accept()
		select {
		case b.accepted <- accepted{connection, err}:
		case <-b.closed:
			if err == nil {
				connection.Close()
			}
			return
		}
		if err != nil {
			return
		}
	}
}

func (b *both) Accept() (net.Conn, error) {
	select {
	case one := <-b.accepted:
		return one.connection, one.err
	case <-b.closed:
		return nil, net.ErrClosed
	}
}

func (b *both) Close() error {
	b.once.Do(func() { close(b.closed) })
	_ = b.other.Close()
	return b.Listener.Close()
}
