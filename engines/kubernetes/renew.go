package main

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/klog/v2"
)

// A node does not have the key of the authority. It asks the program that started it for certificates, a line each, and
// keeps its own keys.

// signing is a question for a certificate, with Public, and its answer, with Certificate.
type signing struct {
	Name        string
	Public      []byte `json:",omitempty"`
	Certificate []byte `json:",omitempty"`
}

// identitiesOf is whom the programs of a node are, by the names of their files.
func identitiesOf(options machineOptions) map[string]subject {
	return map[string]subject{
		"kubelet":    kubeletOfNode(options.name),
		"kube-proxy": {name: "system:kube-proxy"},
		"names":      {name: namesUser},
		"volumes":    {name: volumesUser},
	}
}

// signFor answers what a node asks for, until it ends: certificates of its own programs, and of no others.
func signFor(options machineOptions, node io.ReadWriter) error {
	ca, err := readAuthority(options.authority)
	if err != nil {
		return err
	}
	identities := identitiesOf(options)
	questions, answers := bufio.NewScanner(node), json.NewEncoder(node)
	for questions.Scan() {
		var asked signing
		if err := json.Unmarshal(questions.Bytes(), &asked); err != nil {
			return err
		}
		who, known := identities[asked.Name]
		if !known {
			return fmt.Errorf("%q is not a program of a node", asked.Name)
		}
		key, err := x509.ParsePKIXPublicKey(asked.Public)
		if err != nil {
			return err
		}
		certificate, err := ca.sign(key, who)
		if err != nil {
			return err
		}
		if err := answers.Encode(signing{Name: asked.Name, Certificate: certificate}); err != nil {
			return err
		}
	}
	return questions.Err()
}

// askForCertificates asks for those that are missing or old.
func askForCertificates(options machineOptions, signer io.Writer) error {
	_, certificate, err := readCertificate(filepath.Join(options.dir, "ca.crt"))
	if err != nil {
		return err
	}
	ca := &authority{certificate: certificate}
	for name, who := range identitiesOf(options) {
		file := filepath.Join(options.dir, name)
		if ca.isCurrent(file+".crt", who) {
			continue
		}
		if err := newKey(file + ".key"); err != nil {
			return err
		}
		key, err := readKey(file + ".key")
		if err != nil {
			return err
		}
		public, err := x509.MarshalPKIXPublicKey(key.Public())
		if err != nil {
			return err
		}
		if err := json.NewEncoder(signer).Encode(signing{Name: name, Public: public}); err != nil {
			return err
		}
	}
	return nil
}

// takeCertificates writes those that were asked for, until the program ends that signs them.
func takeCertificates(options machineOptions, signer *os.File) {
	answers := bufio.NewScanner(signer)
	for answers.Scan() {
		var answer signing
		err := json.Unmarshal(answers.Bytes(), &answer)
		if err == nil {
			err = write(filepath.Join(options.dir, filepath.Base(answer.Name)+".crt"), answer.Certificate)
		}
		if err != nil {
			klog.ErrorS(err, "a certificate could not be taken")
		}
	}
}
