//! A headless browser, told what to do by its own protocol (CDP) over a pair of pipes: so a screen can be as narrow as a
//! telephone's, which a headless window can't, and one browser shows all pages.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::shell;

/// By any of these names.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// How often a page is looked at for something that it will come to, and how long after the last time.
const LOOKS: u32 = 600;
const PAUSE: Duration = Duration::from_millis(50);
/// Height of the screens, pixels.
const HEIGHT: u32 = 900;

/// A browser that runs.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    calls: u64,
    /// What pages wrote to the console, and what the browser wrote there of them.
    said: Vec<String>,
}

impl Browser {
    /// The program, if there is one.
    pub(crate) fn program() -> Option<PathBuf> {
        NAMES.iter().find_map(|name| shell::which(name))
    }

    pub(crate) fn start() -> Result<Self> {
        let program = Self::program().context("there is no Chromium here")?;
        // It reads from the descriptor 3 and writes to 4, which the shell makes of what it was given.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"]).arg(program);
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
        ]);
        command.arg(format!("--user-data-dir={}", shell::target().join("browser").display()));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("can't start the browser")?;
        let (to, from) = child.stdin.take().zip(child.stdout.take()).context("the browser has no pipes")?;
        Ok(Self { child, to, from: BufReader::new(from), calls: 0, said: Vec::new() })
    }

    /// A page of its own, so wide, light or dark.
    pub(crate) fn tab(&mut self, width: u32, dark: bool) -> Result<Tab<'_>> {
        let target = self.call(None, "Target.createTarget", &json!({"url": "about:blank"}))?["targetId"].take();
        let attach = json!({"targetId": target, "flatten": true});
        let session = self.call(None, "Target.attachToTarget", &attach)?["sessionId"].take();
        let mut tab = Tab { browser: self, target, session };
        for domain in ["Page", "Runtime", "Log"] {
            tab.call(&format!("{domain}.enable"), &json!({}))?;
        }
        let screen = json!({"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
        tab.call("Emulation.setDeviceMetricsOverride", &screen)?;
        let theme = json!([{"name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" }}]);
        tab.call("Emulation.setEmulatedMedia", &json!({"features": theme}))?;
        Ok(tab)
    }

    fn call(&mut self, session: Option<&Value>, method: &str, parameters: &Value) -> Result<Value> {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = session {
            message["sessionId"] = session.clone();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).context("the browser does not listen")?;
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).context("can't hear the browser")?;
            if bytes.pop() != Some(0) {
                bail!("the browser ended at {method}");
            }
            let mut answer: Value = serde_json::from_slice(&bytes).context("the browser's words are no JSON")?;
            if answer["id"] == self.calls {
                if let Some(error) = answer.get("error") {
                    bail!("{method}: {error}");
                }
                return Ok(answer["result"].take());
            }
            let written = ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"];
            if written.iter().any(|method| answer["method"] == *method) {
                self.said.push(answer["params"].to_string());
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.call(None, "Browser.close", &json!({}));
        let _ = self.child.wait();
    }
}

/// A page that is shown.
pub(crate) struct Tab<'a> {
    browser: &'a mut Browser,
    target: Value,
    session: Value,
}

impl Tab<'_> {
    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.browser.call(Some(&self.session), method, parameters)
    }

    /// Begins to show a file.
    pub(crate) fn open(&mut self, page: &Path) -> Result<()> {
        self.call("Page.navigate", &json!({"url": format!("file://{}", page.display())})).map(drop)
    }

    /// What an expression comes to in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Result<Value> {
        let asked = json!({"expression": expression, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", &asked)?;
        if let Some(error) = answer.get("exceptionDetails") {
            bail!("{expression}: {error}");
        }
        Ok(answer["result"]["value"].take())
    }

    /// The same as soon as it is not null.
    pub(crate) fn until(&mut self, expression: &str) -> Result<Value> {
        for _ in 0..LOOKS {
            let value = self.value(expression)?;
            if !value.is_null() {
                return Ok(value);
            }
            thread::sleep(PAUSE);
        }
        bail!("{expression} did not come to anything")
    }

    /// Moves the mouse to a place of the screen, pixels.
    pub(crate) fn point(&mut self, x: f64, y: f64) -> Result<()> {
        self.call("Input.dispatchMouseEvent", &json!({"type": "mouseMoved", "x": x, "y": y})).map(drop)
    }

    /// The whole page as a PNG.
    pub(crate) fn picture(&mut self) -> Result<Vec<u8>> {
        let answer = self.call("Page.captureScreenshot", &json!({"captureBeyondViewport": true}))?;
        let text = answer["data"].as_str().context("the browser took no picture")?;
        BASE64_STANDARD.decode(text).context("the picture is no base64")
    }

    /// What it wrote to the console.
    pub(crate) fn close(self) -> Result<String> {
        self.browser.call(None, "Target.closeTarget", &json!({"targetId": self.target}))?;
        Ok(std::mem::take(&mut self.browser.said).join("\n"))
    }
}
