package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	"go.opentelemetry.io/otel/trace/noop"
	v1 "k8s.io/api/core/v1"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	internalapi "k8s.io/cri-api/pkg/apis"
	remote "k8s.io/cri-client/pkg"
	fakeremote "k8s.io/cri-client/pkg/fake"
	"k8s.io/klog/v2"
	cadvisortest "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubemark"
)

const (
	kubeletPort = 10250
	mebibyte    = 1 << 20
)

// flavored is what a node can hold: as much as its flavor says, whatever the machine has that it runs on.
type flavored struct {
	cadvisortest.Fake
	cores    int
	memory   uint64
	identity string
}

func (m *flavored) MachineInfo() (*cadvisorapi.MachineInfo, error) {
	return &cadvisorapi.MachineInfo{
		NumCores:       m.cores,
		MemoryCapacity: m.memory,
		MachineID:      m.identity,
		SystemUUID:     m.identity,
		InstanceID:     cadvisorapi.InstanceID(m.identity),
	}, nil
}

func (m *flavored) VersionInfo() (*cadvisorapi.VersionInfo, error) {
	return &cadvisorapi.VersionInfo{ContainerOsVersion: "Virga (pods pretend to run)"}, nil
}

// node runs a kubelet over a runtime that pretends: pods are scheduled, started, drained and removed as anywhere, but
// their containers do nothing. What is made for it is in DIR.
func node(ctx context.Context, words []string) error {
	flags := flag.NewFlagSet("node", flag.ExitOnError)
	folder := flags.String("dir", ".", "where the files of the node are")
	root := flags.String("root", "", "where the kubelet has its files; its sockets need a short name")
	authorityFolder := flags.String("authority", ".", "where ca.crt and ca.key are")
	server := flags.String("server", "127.0.0.1", "where the API server listens")
	name := flags.String("name", "", "what the node is called")
	id := flags.String("id", "", "which machine it is")
	address := flags.String("address", "127.0.0.1", "where the kubelet listens")
	cores := flags.Int("cores", 1, "processors that its pods may have")
	memory := flags.Int("memory", 1024, "MiB that its pods may have")
	maxPods := flags.Int("max-pods", 110, "how many pods it takes")
	labels := flags.String("labels", "", "KEY=VALUE,…")
	taints := flags.String("taints", "", "KEY=VALUE:EFFECT,…")
	_ = flags.Parse(words)
	dir, err := filepath.Abs(*folder)
	if err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return err
	}
	ca, err := readAuthority(*authorityFolder)
	if err != nil {
		return err
	}
	identity := filepath.Join(dir, "kubelet")
	config := identity + ".conf"
	if err := ca.issue(identity, kubeletOfNode(*name)); err != nil {
		return err
	}
	if err := ca.kubeconfig(identity, "https://"+*server+":"+apiPort); err != nil {
		return err
	}
	go keepCurrent(ctx, func() error { return ca.issue(identity, kubeletOfNode(*name)) })
	clientConfig, err := clientcmd.BuildConfigFromFlags("", config)
	if err != nil {
		return err
	}
	client, err := clientset.NewForConfig(clientConfig)
	if err != nil {
		return err
	}
	heartbeatConfig := *clientConfig
	heartbeatConfig.QPS = -1
	heartbeatConfig.Timeout = 10 * time.Second
	heartbeat, err := clientset.NewForConfig(&heartbeatConfig)
	if err != nil {
		return err
	}
	endpoint, err := fakeremote.GenerateEndpoint()
	if err != nil {
		return err
	}
	runtime := fakeremote.NewFakeRemoteRuntime()
	if err := runtime.Start(endpoint); err != nil {
		return fmt.Errorf("the runtime: %w", err)
	}
	defer runtime.Stop()
	logger := klog.FromContext(ctx)
	service, err := call(remote.NewRemoteRuntimeService, ctx, endpoint, 15*time.Second, noop.NewTracerProvider(), false, &logger)
	if err != nil {
		return fmt.Errorf("the runtime: %w", err)
	}
	taintsOfNode, err := parseTaints(*taints)
	if err != nil {
		return err
	}
	kubeletFlags, kubeletConfig := kubemark.GetHollowKubeletConfig(&kubemark.HollowKubeletOptions{
		NodeName:           *name,
		KubeletPort:        kubeletPort,
		MaxPods:            *maxPods,
		NodeLabels:         parseLabels(*labels),
		RegisterWithTaints: taintsOfNode,
	})
	// Made in the folder of all temporary files, and never removed.
	_ = os.RemoveAll(kubeletFlags.RootDirectory)
	kubeletFlags.RootDirectory = *root
	kubeletConfig.StaticPodPath = ""
	kubeletConfig.PodLogsDir = filepath.Join(dir, "logs")
	kubeletConfig.Address = *address
	kubeletConfig.HealthzPort = 0
	kubeletConfig.ProviderID = "virga://" + *id
	kubeletConfig.TLSCertFile = filepath.Join(dir, "kubelet.crt")
	kubeletConfig.TLSPrivateKeyFile = filepath.Join(dir, "kubelet.key")
	kubelet := kubemark.NewHollowKubelet(kubeletFlags, kubeletConfig, client, heartbeat,
		&flavored{cores: *cores, memory: uint64(*memory) * mebibyte, identity: *id},
		runtime.ImageService, service.(internalapi.RuntimeService), cm.NewStubContainerManager())
	go kubelet.Run(ctx)
	<-ctx.Done()
	return nil
}

// kubeletOfNode is whom the kubelet of a node is.
func kubeletOfNode(name string) subject {
	return subject{name: "system:node:" + name, groups: []string{"system:nodes"}, names: []string{name}}
}

func parseLabels(text string) map[string]string {
	labels := map[string]string{}
	for _, pair := range split(text) {
		key, value, _ := strings.Cut(pair, "=")
		labels[key] = value
	}
	return labels
}

func parseTaints(text string) ([]v1.Taint, error) {
	taints := []v1.Taint{}
	for _, part := range split(text) {
		pair, effect, found := strings.Cut(part, ":")
		if !found {
			return nil, fmt.Errorf("the taint %s has no effect", strconv.Quote(part))
		}
		key, value, _ := strings.Cut(pair, "=")
		taints = append(taints, v1.Taint{Key: key, Value: value, Effect: v1.TaintEffect(effect)})
	}
	return taints, nil
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
