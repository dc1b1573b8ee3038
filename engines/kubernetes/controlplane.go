package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	apiserveroptions "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	controlleroptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	scheduleroptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

const apiPort = "6443"

// What is under way has this long when the program is asked to end.
const grace = 500 * time.Millisecond

// controlPlane runs etcd, the API server, the controllers and the scheduler in this process. The folder of the authority
// has ca.crt and ca.key; all else is made in DIR. Further words after -- are for the API server.
func controlPlane(ctx context.Context, words []string) error {
	flags := flag.NewFlagSet("control-plane", flag.ExitOnError)
	folder := flags.String("dir", ".", "where the files of the cluster are")
	authorityFolder := flags.String("authority", ".", "where ca.crt and ca.key are")
	socket := flags.String("socket", "etcd.sock", "where etcd listens")
	address := flags.String("address", "127.0.0.1", "where the API server listens")
	pods := flags.String("pods", "10.244.0.0/16", "where the addresses of pods come from")
	services := flags.String("services", "10.96.0.0/16", "where the addresses of services come from")
	network := flags.String("network", "", "the network namespace of the cluster")
	inside := flags.String("inside", "", "where the API server listens in that network")
	account := flags.Int("account", 0, "whom this program becomes in that network")
	_ = flags.Parse(words)
	hasEntered := len(words) > 0 && words[len(words)-1] == entered
	if *network != "" && !hasEntered {
		return enterNetwork(*network, *address, *account)
	}
	dir, err := filepath.Abs(*folder)
	if err != nil {
		return err
	}
	s := server{dir: dir, authority: *authorityFolder, socket: *socket, address: *address, outside: *address, pods: *pods, services: *services}
	more := flags.Args()
	if hasEntered {
		s.address = *inside
		more = more[:len(more)-1]
		if s.listener, err = listenBoth(*inside); err != nil {
			return err
		}
	}
	ca, err := readAuthority(s.authority)
	if err != nil {
		return err
	}
	if err := prepare(ca, s); err != nil {
		return err
	}
	go keepCurrent(ctx, func() error { return issueAll(ca, s) })
	store, err := startEtcd(dir, s.socket)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer store.Close()
	failed := make(chan error, 3)
	if err := startAPIServer(ctx, failed, s, more); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	if err := waitReady(ctx, failed, ca, s.address); err != nil {
		return err
	}
	if err := serveNodes(ctx, dir); err != nil {
		return fmt.Errorf("what nodes need: %w", err)
	}
	if err := startControllers(ctx, failed, s); err != nil {
		return fmt.Errorf("kube-controller-manager: %w", err)
	}
	if err := startScheduler(ctx, failed, s); err != nil {
		return fmt.Errorf("kube-scheduler: %w", err)
	}
	select {
	case <-ctx.Done():
		time.Sleep(grace)
		return nil
	case err := <-failed:
		return err
	case err := <-store.Err():
		return fmt.Errorf("etcd: %w", err)
	}
}

// prepare makes the keys and certificates of the parts of a control plane, as far as they are missing or old.
func prepare(ca *authority, s server) error {
	if err := newKey(filepath.Join(s.dir, "service-accounts.key")); err != nil {
		return err
	}
	if err := issueAll(ca, s); err != nil {
		return err
	}
	for _, name := range []string{"controllers", "scheduler", "virga"} {
		if err := ca.kubeconfig(filepath.Join(s.dir, name), "https://"+s.address+":"+apiPort); err != nil {
			return err
		}
	}
	return nil
}

// issueAll makes the certificates that are missing or old.
func issueAll(ca *authority, s server) error {
	services, err := firstAddress(s.services)
	if err != nil {
		return err
	}
	subjects := map[string]subject{
		"apiserver": {
			name:      "kube-apiserver",
			addresses: []string{s.address, s.outside, "127.0.0.1", services},
			names: []string{
				"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
				"kubernetes.default.svc.cluster.local",
			},
			isServer: true,
		},
		"kubelet-client": {name: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
		"controllers":    {name: "system:kube-controller-manager"},
		"scheduler":      {name: "system:kube-scheduler"},
		"virga":          {name: "virga", groups: []string{"system:masters"}},
	}
	for name, each := range subjects {
		if err := ca.issue(filepath.Join(s.dir, name), each); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// firstAddress is that of the service of the API server.
func firstAddress(cidr string) (string, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return "", err
	}
	return prefix.Masked().Addr().Next().String(), nil
}

// parse reads words as the flags of a component.
func parse(name string, sets cliflag.NamedFlagSets, words []string) error {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	return flags.Parse(words)
}

// server is where the files and sockets of a control plane are.
type server struct {
	dir, authority, socket, address, outside, pods, services string
	// That of a cluster with a network of its own; nil: it listens at its address.
	listener net.Listener
}

// endpoints says who writes where pods find the API server. The address of a machine's loopback is of no use to them.
func (s server) endpoints() string {
	if s.listener == nil {
		return "none"
	}
	return "lease"
}

func startAPIServer(ctx context.Context, failed chan<- error, s server, more []string) error {
	in := func(name string) string { return filepath.Join(s.dir, name) }
	options := apiserveroptions.NewServerRunOptions()
	words := append([]string{
		"--etcd-servers=unix://" + s.socket,
		"--bind-address=" + s.address, "--advertise-address=" + s.address, "--secure-port=" + apiPort,
		"--endpoint-reconciler-type=" + s.endpoints(),
		"--tls-cert-file=" + in("apiserver.crt"), "--tls-private-key-file=" + in("apiserver.key"),
		"--client-ca-file=" + filepath.Join(s.authority, "ca.crt"),
		"--service-account-key-file=" + in("service-accounts.key"),
		"--service-account-signing-key-file=" + in("service-accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-cluster-ip-range=" + s.services,
		// Root of a node is nobody on this machine.
		"--allow-privileged=true",
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--enable-aggregator-routing=true", "--kubelet-preferred-address-types=InternalIP",
		"--kubelet-client-certificate=" + in("kubelet-client.crt"), "--kubelet-client-key=" + in("kubelet-client.key"),
	}, more...)
	if err := parse("kube-apiserver", options.Flags(), words); err != nil {
		return err
	}
	if err := options.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := logsapi.ValidateAndApply(options.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return err
	}
	options.SecureServing.Listener = s.listener
	completed, err := options.Complete(ctx)
	if err != nil {
		return err
	}
	if faults := completed.Validate(); len(faults) > 0 {
		texts := make([]string, 0, len(faults))
		for _, fault := range faults {
			texts = append(texts, fault.Error())
		}
		return fmt.Errorf("%s", strings.Join(texts, "; "))
	}
	go func() { failed <- fmt.Errorf("kube-apiserver: %w", apiserver.Run(ctx, completed)) }()
	return nil
}

func kubeconfigWords(dir, name, address string) []string {
	file := filepath.Join(dir, name+".conf")
	return []string{
		"--kubeconfig=" + file, "--authentication-kubeconfig=" + file, "--authorization-kubeconfig=" + file,
		"--authentication-skip-lookup", "--bind-address=" + address, "--leader-elect=false",
	}
}

func startControllers(ctx context.Context, failed chan<- error, s server) error {
	options, err := controlleroptions.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	known, disabled, aliases := controllers.KnownControllers(), controllers.ControllersDisabledByDefault(), controllers.ControllerAliases()
	flags := options.Flags(known, disabled, aliases)
	options.ParsedFlags = &flags
	authorityFile := filepath.Join(s.authority, "ca.crt")
	words := append(kubeconfigWords(s.dir, "controllers", s.address),
		"--service-account-private-key-file="+filepath.Join(s.dir, "service-accounts.key"),
		"--root-ca-file="+authorityFile, "--cluster-signing-cert-file="+authorityFile,
		"--cluster-signing-key-file="+filepath.Join(s.authority, "ca.key"),
		"--use-service-account-credentials=true", "--allocate-node-cidrs=true", "--cluster-cidr="+s.pods, "--service-cluster-ip-range="+s.services)
	if err := parse("kube-controller-manager", flags, words); err != nil {
		return err
	}
	config, err := options.Config(ctx, known, disabled, aliases)
	if err != nil {
		return err
	}
	go func() { failed <- fmt.Errorf("kube-controller-manager: %w", controllers.Run(ctx, config.Complete())) }()
	return nil
}

func startScheduler(ctx context.Context, failed chan<- error, s server) error {
	options := scheduleroptions.NewOptions()
	if err := parse("kube-scheduler", *options.Flags, kubeconfigWords(s.dir, "scheduler", s.address)); err != nil {
		return err
	}
	config, made, err := scheduler.Setup(ctx, options)
	if err != nil {
		return err
	}
	go func() { failed <- fmt.Errorf("kube-scheduler: %w", scheduler.Run(ctx, config, made)) }()
	return nil
}

// waitReady returns when the API server says that it is ready, or when it has failed.
func waitReady(ctx context.Context, failed <-chan error, ca *authority, address string) error {
	pool := x509.NewCertPool()
	pool.AddCert(ca.certificate)
	client := http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true},
	}
	for ctx.Err() == nil {
		response, err := client.Get("https://" + address + ":" + apiPort + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	return ctx.Err()
}
