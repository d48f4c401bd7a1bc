/* What a hostile panel would try. The inspector refuses all of it, and lists it beside the page. */

function leave(address) {
  const link = Object.assign(document.createElement('a'), { href: address })
  document.body.append(link)
  link.click()
  link.remove()
}

function download() {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(['from a panel']))
  link.download = 'panel.txt'
  link.click()
}

const remoteImage = () =>
  new Promise((resolve) => {
    const image = new Image()
    image.onload = image.onerror = resolve
    image.src = 'https://example.org/pixel.png'
  })

function loop() {
  for (;;);
}

/** `[what the button says, how]`. */
export const acts = [
  ['Open a window', () => window.open('https://example.org/')],
  ['Leave for another page', () => leave('https://example.org/')],
  ['Load a remote image', remoteImage],
  ['Call another port', () => fetch('http://127.0.0.1:42340/bridge/v1/status').catch(() => undefined)],
  ['Read a local file', () => fetch('file:///etc/hosts').catch(() => undefined)],
  ['Register a service worker', () => navigator.serviceWorker.register('worker.js').catch(() => undefined)],
  ['Ask where you are', () => navigator.geolocation.getCurrentPosition(() => undefined)],
  ['Download a file', download],
  ['Loop without end', loop],
]
