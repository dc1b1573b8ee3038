// The S3 server of one storage: versitygw over a folder, behind a guard that refuses what it would do wrong without a word.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

// The limits of versitygw's own program.
const (
	maxConnections = 250_000
	maxRequests    = 100_000
	maxParts       = 10_000
	maxActions     = 5_000
	maxCopied      = 5 << 30
	iamCacheTTL    = 120
	iamCachePrune  = 3600
)

func main() {
	port := flag.String("port", "", "socket or address of the S3 API")
	adminPort := flag.String("admin-port", "", "socket or address of the API that manages keys")
	domain := flag.String("domain", "", "domain below which buckets are host names")
	accounts := flag.String("accounts", "", "folder of the keys")
	versions := flag.String("versions", "", "folder of older versions of objects")
	health := flag.String("health", "", "path that answers 200 while the server works")
	version := flag.Bool("version", false, "say the version of versitygw, and end")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "virga-s3 [options] FOLDER, with ROOT_ACCESS_KEY and ROOT_SECRET_KEY in the environment")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *version {
		fmt.Println("versitygw", engineVersion(), "with the guard of Virga")
		return
	}
	if flag.NArg() != 1 || *port == "" {
		flag.Usage()
		os.Exit(2)
	}
	config := &embedgw.Config{
		RootUserAccess:    os.Getenv("ROOT_ACCESS_KEY"),
		RootUserSecret:    os.Getenv("ROOT_SECRET_KEY"),
		Ports:             []string{*port},
		MaxConnections:    maxConnections,
		MaxRequests:       maxRequests,
		MultipartMaxParts: maxParts,
		VirtualDomain:     *domain,
		HealthPath:        *health,
		SocketPerm:        "0600",
		IAMDir:            *accounts,
		IAMCacheTTL:       iamCacheTTL,
		IAMCachePrune:     iamCachePrune,
		Quiet:             true,
		S3Options:         []s3api.Option{s3api.WithMiddleware("/", refuse(*domain))},
	}
	if *adminPort != "" {
		config.AdminPorts = []string{*adminPort}
		config.AdminMaxConnections = maxConnections
		config.AdminMaxRequests = maxRequests
	}
	if err := serve(flag.Arg(0), *versions, config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(folder, versions string, config *embedgw.Config) error {
	if err := (meta.XattrMeta{}).Test(folder); err != nil {
		return fmt.Errorf("files in %s cannot have extended attributes: %w", folder, err)
	}
	files, err := posix.New(folder, meta.XattrMeta{}, posix.PosixOpts{
		VersioningDir:       versions,
		Concurrency:         maxActions,
		CopyObjectThreshold: maxCopied,
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return embedgw.RunVersityGW(ctx, guard{files}, config)
}

func engineVersion() string {
	build, ok := debug.ReadBuildInfo()
	if ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/versity/versitygw" {
				return module.Version
			}
		}
	}
	return "of an unknown version"
}
