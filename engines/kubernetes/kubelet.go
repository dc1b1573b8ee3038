package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
)

// bounded is a machine that has what the node's flavor says.
type bounded struct {
	cadvisor.Interface
	cores    int
	memory   uint64
	identity string
}

func (b *bounded) MachineInfo() (*cadvisorapi.MachineInfo, error) {
	info, err := b.Interface.MachineInfo()
	if err != nil {
		return nil, err
	}
	own := *info
	own.NumCores, own.MemoryCapacity = b.cores, b.memory
	own.MachineID, own.SystemUUID, own.InstanceID = b.identity, b.identity, cadvisorapi.InstanceID(b.identity)
	return &own, nil
}

// machineKubelet runs the kubelet of a node, and keeps its network.
func machineKubelet(ctx context.Context, words []string) error {
	var machine machineOptions
	_ = machineFlags(&machine).Parse(words)
	if err := importImages(machine); err != nil {
		return err
	}
	kubeconfig := filepath.Join(machine.dir, "kubelet.conf")
	go keepNetwork(ctx, machine, filepath.Join(machine.dir, "kube-proxy.conf"))
	if machine.volumes != "" {
		go func() {
			if err := keepVolumes(ctx, machine, filepath.Join(machine.dir, "volumes.conf")); err != nil {
				fmt.Fprintln(os.Stderr, "virga-kubernetes: volumes:", err)
			}
		}()
	}
	server, err := kubeletOf(machine, kubeconfig)
	if err != nil {
		return err
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(server.FeatureGates); err != nil {
		return err
	}
	logs.InitLogs()
	if err := logsapi.ValidateAndApply(&server.Logging, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	dependencies, err := kubelet.UnsecuredDependencies(ctx, server, utilfeature.DefaultFeatureGate)
	if err != nil {
		return err
	}
	real, err := call(cadvisor.New,
		klog.FromContext(ctx),
		cadvisor.NewImageFsInfoProvider(server.ContainerRuntimeEndpoint), server.RootDirectory, []string{"/"},
		cadvisor.UsingLegacyCadvisorStats(server.ContainerRuntimeEndpoint), server.LocalStorageCapacityIsolation)
	if err != nil {
		return fmt.Errorf("cadvisor: %w", err)
	}
	dependencies.CAdvisorInterface = &bounded{
		Interface: real.(cadvisor.Interface), cores: machine.cores, memory: uint64(machine.memory) * mebibyte, identity: machine.id,
	}
	return kubelet.Run(ctx, server, dependencies, utilfeature.DefaultFeatureGate)
}

func kubeletOf(machine machineOptions, kubeconfig string) (*options.KubeletServer, error) {
	in := func(name string) string { return filepath.Join(machine.dir, name) }
	taints, err := parseTaints(machine.taints)
	if err != nil {
		return nil, err
	}
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, err
	}
	config.Authentication.Anonymous.Enabled = false
	config.Authentication.Webhook.Enabled = true
	config.Authentication.X509.ClientCAFile = in("ca.crt")
	config.Authorization.Mode = "Webhook"
	config.ContainerRuntimeEndpoint = "unix://" + runtimeSocket
	config.CgroupDriver = "cgroupfs"
	config.FailCgroupV1 = false
	config.CgroupsPerQOS = false
	config.EnforceNodeAllocatable = nil
	config.FailSwapOn = false
	config.FeatureGates = map[string]bool{"KubeletInUserNamespace": true}
	config.EvictionHard = map[string]string{"nodefs.available": "1%", "imagefs.available": "1%"}
	// Never: the disk is that of the host, whom it does not help, and images of archives cannot be pulled again.
	config.ImageGCHighThresholdPercent = 100
	config.PodLogsDir = logsFolder
	config.VolumePluginDir = filepath.Join(kubeletFolder, "plugins")
	config.Address = addressAlone(machine)
	config.ProviderID = "virga://" + machine.id
	config.MaxPods = int32(machine.maxPods)
	config.TLSCertFile = in("kubelet.crt")
	config.TLSPrivateKeyFile = in("kubelet.key")
	config.SerializeImagePulls = false
	config.RegisterWithTaints = taints
	config.RegisterNode = true
	config.HealthzPort = 0
	config.ReadOnlyPort = 0
	config.NodeStatusUpdateFrequency = metav1.Duration{Duration: 10 * time.Second}
	config.ResolverConfig = "/etc/resolv.conf"
	config.ClusterDomain = clusterDomain
	if machine.names != "" {
		config.ClusterDNS = []string{addressAlone(machine)}
	}
	flags := options.NewKubeletFlags()
	flags.KubeConfig = kubeconfig
	flags.RootDirectory = kubeletFolder
	flags.CertDirectory = filepath.Join(kubeletFolder, "pki")
	flags.HostnameOverride = machine.name
	flags.NodeIP = addressAlone(machine)
	flags.NodeLabels = parseLabels(machine.labels)
	return &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *config}, nil
}

// importImages gives the node's runtime the images that every node has, and those of the folder of archives.
func importImages(machine machineOptions) error {
	archives, err := builtinImages(filepath.Join(machine.dir, "images"))
	if err != nil {
		return err
	}
	if machine.images != "" {
		more, err := filepath.Glob(filepath.Join(machine.images, "*.tar"))
		if err != nil {
			return err
		}
		archives = append(archives, more...)
	}
	for _, archive := range archives {
		if err := importImage(archive); err != nil {
			fmt.Fprintf(os.Stderr, "virga-kubernetes: the image %s is left out: %v\n", filepath.Base(archive), err)
		}
	}
	return nil
}
