package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Where Debian's busybox-static has its program: it needs no other file.
var shells = []string{"/bin/busybox", "/usr/bin/busybox"}

// image is one of a few that need nothing from elsewhere.
type image struct {
	name    string
	command []string
}

// The first of them holds the namespaces of a pod; the second answers each request with the name of its pod.
var builtin = []image{
	{name: pauseImage, command: []string{"/bin/busybox", "sleep", "2147483647"}},
	{name: "virga.local/web:1", command: []string{
		"/bin/busybox", "sh", "-c",
		"mkdir -p /www && hostname > /www/index.html && exec /bin/busybox httpd -f -p ${PORT:-8080} -h /www",
	}},
	{name: "virga.local/shell:1", command: []string{"/bin/busybox", "sleep", "2147483647"}},
}

// builtinImages writes the archives of these images to a folder.
func builtinImages(folder string) ([]string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	shell, err := findShell()
	if err != nil {
		return nil, err
	}
	layer, err := layerOf(shell)
	if err != nil {
		return nil, err
	}
	files := []string{}
	for index, each := range builtin {
		archive, err := each.archive(layer)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(folder, fmt.Sprintf("builtin-%d.tar", index))
		if err := write(file, archive); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func findShell() (string, error) {
	for _, file := range shells {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", errors.New("there is no busybox on this machine: apt-get install busybox-static")
}

// commandsOf are the names that the program of a shell answers to.
func commandsOf(shell string) []string {
	said, err := exec.Command(shell, "--list").Output()
	if err != nil {
		return []string{"sh"}
	}
	names := []string{}
	for _, name := range strings.Fields(string(said)) {
		if name != "busybox" {
			names = append(names, name)
		}
	}
	return names
}

type entry struct {
	name, link string
	content    []byte
	mode       int64
	kind       byte
}

func archiveOf(entries []entry) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, each := range entries {
		header := &tar.Header{
			Typeflag: each.kind, Name: each.name, Linkname: each.link, Mode: each.mode, Size: int64(len(each.content)),
			ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
		}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(each.content); err != nil {
			return nil, err
		}
	}
	return buffer.Bytes(), writer.Close()
}

func layerOf(shell string) ([]byte, error) {
	program, err := os.ReadFile(shell)
	if err != nil {
		return nil, err
	}
	entries := []entry{}
	for _, name := range []string{"bin/", "etc/", "tmp/", "var/", "root/"} {
		entries = append(entries, entry{name: name, mode: 0o755, kind: tar.TypeDir})
	}
	entries = append(entries, entry{name: "bin/busybox", mode: 0o755, kind: tar.TypeReg, content: program})
	for _, name := range commandsOf(shell) {
		entries = append(entries, entry{name: "bin/" + name, link: "busybox", mode: 0o777, kind: tar.TypeSymlink})
	}
	entries = append(entries,
		entry{name: "etc/passwd", mode: 0o644, kind: tar.TypeReg, content: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
		entry{name: "etc/group", mode: 0o644, kind: tar.TypeReg, content: []byte("root:x:0:\nnogroup:x:65534:\n")},
	)
	return archiveOf(entries)
}

// archive is the image as `docker save` writes it.
func (i image) archive(layer []byte) ([]byte, error) {
	sum := sha256.Sum256(layer)
	config, err := json.Marshal(map[string]any{
		"architecture": goArchitecture,
		"os":           "linux",
		"config":       map[string]any{"Cmd": i.command, "Env": []string{"PATH=/bin"}},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{
		{"Config": "config.json", "RepoTags": []string{i.name}, "Layers": []string{"layer.tar"}},
	})
	if err != nil {
		return nil, err
	}
	return archiveOf([]entry{
		{name: "manifest.json", mode: 0o644, kind: tar.TypeReg, content: manifest},
		{name: "config.json", mode: 0o644, kind: tar.TypeReg, content: config},
		{name: "layer.tar", mode: 0o644, kind: tar.TypeReg, content: layer},
	})
}

// importImage waits for the runtime, and gives it an archive.
func importImage(archive string) error {
	for tries := 0; ; tries++ {
		connection, err := net.Dial("unix", runtimeSocket)
		if err == nil {
			connection.Close()
			break
		}
		if tries > 300 {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	command := exec.Command("ctr", "--address", runtimeSocket, "--namespace", "k8s.io", "images", "import", "--all-platforms", archive)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}
