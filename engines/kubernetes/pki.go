package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

const (
	// Certificates are issued again in the last third of their time.
	certificateTime = 365 * 24 * time.Hour
	renewBefore     = certificateTime / 3
	renewEvery      = 20 * time.Second
	// Clocks of clients may be a little behind.
	backdated = 5 * time.Minute
)

// authority is what the cluster's files ca.crt and ca.key say.
type authority struct {
	pem         []byte
	certificate *x509.Certificate
	key         crypto.Signer
}

func readAuthority(dir string) (*authority, error) {
	text, certificate, err := readCertificate(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, err
	}
	key, err := readKey(filepath.Join(dir, "ca.key"))
	if err != nil {
		return nil, fmt.Errorf("ca.key: %w", err)
	}
	return &authority{pem: text, certificate: certificate, key: key}, nil
}

func readCertificate(file string) ([]byte, *x509.Certificate, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := parseCertificate(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return text, certificate, nil
}

func parseCertificate(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("there is no certificate")
	}
	return x509.ParseCertificate(block.Bytes)
}

func readKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("there is no key")
	}
	if block.Type == "EC PRIVATE KEY" {
		return x509.ParseECPrivateKey(block.Bytes)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("the key cannot sign")
	}
	return signer, nil
}

// newKey makes a private key in file, unless there is one.
func newKey(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	// The API server reads keys of service accounts in this form alone.
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return write(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

// write puts a file in its place whole. A link in its folder leads nowhere: root writes to folders of nodes.
func write(file string, content []byte) error {
	draft := file + ".draft"
	if err := os.Remove(draft); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	opened, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := opened.Write(content); err != nil {
		_ = opened.Close()
		return err
	}
	if err := opened.Close(); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

// subject is whom a certificate is for.
type subject struct {
	name      string
	groups    []string
	addresses []string
	names     []string
	isServer  bool
}

// issue writes FILE.crt and FILE.key, unless there is a certificate of this authority that lasts long enough.
func (a *authority) issue(file string, for_ subject) error {
	if a.isCurrent(file+".crt", for_) {
		return nil
	}
	if err := newKey(file + ".key"); err != nil {
		return err
	}
	key, err := readKey(file + ".key")
	if err != nil {
		return err
	}
	certificate, err := a.sign(key.Public(), for_)
	if err != nil {
		return err
	}
	return write(file+".crt", certificate)
}

// sign makes the certificate of a subject that has this key.
func (a *authority) sign(key crypto.PublicKey, for_ subject) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: for_.name, Organization: for_.groups},
		NotBefore:    now.Add(-backdated),
		NotAfter:     now.Add(certificateTime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		DNSNames:     for_.names,
	}
	if for_.isServer {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, address := range for_.addresses {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(address))
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key, a.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// keepCurrent issues certificates again before they expire, until the context ends. Whoever uses them reads their files again.
func keepCurrent(ctx context.Context, issue func() error) {
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := issue(); err != nil {
				klog.ErrorS(err, "certificates could not be renewed")
			}
		}
	}
}

func (a *authority) isCurrent(file string, for_ subject) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	certificate, err := parseCertificate(text)
	if err != nil || certificate.CheckSignatureFrom(a.certificate) != nil {
		return false
	}
	for _, address := range for_.addresses {
		if certificate.VerifyHostname(address) != nil {
			return false
		}
	}
	return time.Until(certificate.NotAfter) > renewBefore
}

// kubeconfig writes FILE.conf, with which a program is the subject of FILE.crt.
func (a *authority) kubeconfig(file, server string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["virga"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: a.pem}
	config.AuthInfos["virga"] = &clientcmdapi.AuthInfo{ClientCertificate: file + ".crt", ClientKey: file + ".key"}
	config.Contexts["virga"] = &clientcmdapi.Context{Cluster: "virga", AuthInfo: "virga"}
	config.CurrentContext = "virga"
	text, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return write(file+".conf", text)
}
