package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const goArchitecture = runtime.GOARCH

// Routes to the pods of other nodes have this number, so that they are told from all others.
const routeProtocol = 86

// keepNetwork tells the runtime where this node's pods have their addresses from, and routes to those of other nodes.
func keepNetwork(ctx context.Context, machine machineOptions, kubeconfig string) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err == nil {
		var client *clientset.Clientset
		if client, err = clientset.NewForConfig(config); err == nil {
			watchNodes(ctx, machine, client)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "virga-kubernetes: the network of pods:", err)
}

func watchNodes(ctx context.Context, machine machineOptions, client clientset.Interface) {
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	informer := factory.Core().V1().Nodes().Informer()
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { tell() },
		UpdateFunc: func(any, any) { tell() },
		DeleteFunc: func(any) { tell() },
	})
	factory.Start(ctx.Done())
	known := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		text := ""
		nodes := []*v1.Node{}
		for _, each := range informer.GetStore().List() {
			node := each.(*v1.Node)
			nodes = append(nodes, node)
			text += node.Name + " " + node.Spec.PodCIDR + " " + internalAddress(node) + "\n"
		}
		if text == known {
			continue
		}
		if err := applyNetwork(machine, nodes); err != nil {
			fmt.Fprintln(os.Stderr, "virga-kubernetes: the network of pods:", err)
			time.AfterFunc(time.Second, tell)
			continue
		}
		known = text
	}
}

func internalAddress(node *v1.Node) string {
	for _, address := range node.Status.Addresses {
		if address.Type == v1.NodeInternalIP {
			return address.Address
		}
	}
	return ""
}

func applyNetwork(machine machineOptions, nodes []*v1.Node) error {
	own, err := netip.ParsePrefix(machine.address)
	if err != nil {
		return err
	}
	desired := map[string]string{}
	for _, node := range nodes {
		if node.Spec.PodCIDR == "" {
			continue
		}
		if node.Name == machine.name {
			if err := configureRuntime(machine, node.Spec.PodCIDR); err != nil {
				return err
			}
			continue
		}
		// Nodes that only pretend are elsewhere, and have no pods that answer.
		if address, err := netip.ParseAddr(internalAddress(node)); err == nil && own.Contains(address) {
			desired[node.Spec.PodCIDR] = address.String()
		}
	}
	present, err := netlink.RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Protocol: routeProtocol}, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return err
	}
	for _, route := range present {
		if desired[route.Dst.String()] != route.Gw.String() {
			_ = netlink.RouteDel(&route)
		}
	}
	for pods, address := range desired {
		_, subnet, err := net.ParseCIDR(pods)
		if err != nil {
			return err
		}
		route := &netlink.Route{Dst: subnet, Gw: net.ParseIP(address), Protocol: routeProtocol}
		if err := netlink.RouteReplace(route); err != nil {
			return fmt.Errorf("a route to %s: %w", pods, err)
		}
	}
	return nil
}

// configureRuntime writes the configuration of pods' links: each pod is routed to, so that traffic between pods of one node
// passes kube-proxy's rules, too.
func configureRuntime(machine machineOptions, pods string) error {
	if _, err := netip.ParsePrefix(pods); err != nil {
		return err
	}
	text := fmt.Sprintf(`{"cniVersion":"0.4.0","name":"virga","plugins":[{"type":"ptp","mtu":1500,"ipam":{"type":"host-local",`+
		`"ranges":[[{"subnet":%q}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":%q}}]}`, pods, "/run/cni-addresses")
	file := filepath.Join(cniFolder, "10-virga.conflist")
	if present, err := os.ReadFile(file); err == nil && string(present) == text {
		return nil
	}
	if err := write(file, []byte(text)); err != nil {
		return err
	}
	return nftables(strings.ReplaceAll(masquerade, "PODS", machine.pods))
}

// masquerade gives what pods send to elsewhere the address of their node.
const masquerade = `
table ip virga
delete table ip virga
table ip virga {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr PODS ip daddr != PODS oifname "` + nodeLink + `" masquerade
  }
}
`
