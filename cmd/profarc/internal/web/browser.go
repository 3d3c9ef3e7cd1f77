package web

import (
	"context"
	"os/exec"
	"runtime"
)

// openBrowser asks the system to show an address. The program that it starts for that may
// end before the browser does.
func openBrowser(ctx context.Context, address string) error {
	command, arguments := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, arguments = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	opening := exec.CommandContext(ctx, command, arguments...)
	if err := opening.Start(); err != nil {
		return err
	}
	go func() { _ = opening.Wait() }() // so that it leaves no zombie
	return nil
}
