package main

import (
	"context"

	"github.com/spf13/cobra"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
)

// components are programs of Kubernetes that are run as their makers wrote them.
var components = map[string]func(context.Context) *cobra.Command{
	"kubectl":    func(context.Context) *cobra.Command { return kubectl.NewDefaultKubectlCommand() },
	"kube-proxy": func(context.Context) *cobra.Command { return kubeproxy.NewProxyCommand() },
}
