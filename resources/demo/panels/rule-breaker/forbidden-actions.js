/**
 * A hostile panel would try these actions. The inspector refuses all of them, and lists them beside
 * the page.
 */

function navigateTo(address) {
  const link = Object.assign(document.createElement('a'), { href: address })
  document.body.append(link)
  link.click()
  link.remove()
}

function downloadFile() {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(['from a panel']))
  link.download = 'panel.txt'
  link.click()
}

const loadRemoteImage = () =>
  new Promise((resolve) => {
    const image = new Image()
    image.onload = image.onerror = resolve
    image.src = 'https://example.org/pixel.png'
  })

function loopForever() {
  for (;;);
}

/** Each entry is `[text of the button, function that tries the action]`. */
export const forbiddenActions = [
  ['Open a window', () => window.open('https://example.org/')],
  ['Leave for another page', () => navigateTo('https://example.org/')],
  ['Load a remote image', loadRemoteImage],
  ['Call another port', () => fetch('http://127.0.0.1:42340/bridge/v1/status').catch(() => undefined)],
  ['Read a local file', () => fetch('file:///etc/hosts').catch(() => undefined)],
  ['Register a service worker', () => navigator.serviceWorker.register('worker.js').catch(() => undefined)],
  ['Ask where you are', () => navigator.geolocation.getCurrentPosition(() => undefined)],
  ['Download a file', downloadFile],
  ['Loop without end', loopForever],
]
