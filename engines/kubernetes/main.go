// virga-kubernetes is a Kubernetes cluster in one program, without privileges: its control plane, and nodes whose pods
// only pretend to run.
//
//	virga-kubernetes control-plane --dir DIR --address 127.80.0.5
//	virga-kubernetes node --dir DIR --name NAME …
//	virga-kubernetes kubectl …
//	virga-kubernetes version
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/component-base/version"
)

var commands = map[string]func(context.Context, []string) error{
	"control-plane":   controlPlane,
	"node":            node,
	"network":         network,
	"machine":         machine,
	"machine-init":    machineInit,
	"machine-kubelet": machineKubelet,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	switch name {
	case "version":
		fmt.Printf("virga-kubernetes %s\n", version.Get().GitVersion)
		return
	}
	if component, known := components[name]; known {
		os.Args = os.Args[1:]
		ctx := context.Background()
		if err := component(ctx).ExecuteContext(ctx); err != nil {
			os.Exit(1)
		}
		return
	}
	command, known := commands[name]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: virga-kubernetes control-plane|node|kubectl|version …")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[2:]); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "virga-kubernetes:", err)
		os.Exit(1)
	}
}
