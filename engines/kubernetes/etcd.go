package main

import (
	"net/url"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

// The log of a server with disks of its own has segments of 64 MB, of which the first is written at once.
const walSegmentBytes = 8 << 20

// startEtcd runs the only member of the cluster's store. Clients reach it at a socket alone; there is nobody else to whom
// a peer would have to listen.
func startEtcd(dir, socketFile string) (*embed.Etcd, error) {
	wal.SegmentSizeBytes = walSegmentBytes
	socket := url.URL{Scheme: "unix", Path: socketFile}
	peer := url.URL{Scheme: "http", Host: "localhost:2380"}
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.Logger = "zap"
	config.LogLevel = "warn"
	config.ListenClientUrls = []url.URL{socket}
	config.AdvertiseClientUrls = []url.URL{{Scheme: "http", Host: "localhost:2379"}}
	config.ListenPeerUrls = nil
	config.AdvertisePeerUrls = []url.URL{peer}
	config.InitialCluster = config.Name + "=" + peer.String()
	config.WarningUnaryRequestDuration = time.Second
	config.AutoCompactionMode = "periodic"
	config.AutoCompactionRetention = "5m"
	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	<-server.Server.ReadyNotify()
	return server, nil
}
