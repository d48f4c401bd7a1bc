/*
 * What is refused to a panel's page, said by the page itself: the policy and the sandbox refuse it whether this runs or not. It comes before
 * `host.js`, in the same block.
 */

/** Has `refused(what, text, where)` called for what the page tries; `here()` is where the page's code is. */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- host.js calls it
function explainRefusals({ origin, refused, here, shown }) {
  window.open = (url) => {
    refused('window', `window.open(${shown(url ?? '')})`, here())
    return null
  }
  for (const name of ['alert', 'confirm', 'prompt', 'print']) {
    window[name] = (text) => {
      refused('other', `${name}(${shown(text ?? '')})`, here())
      return name === 'confirm' ? false : name === 'prompt' ? null : undefined
    }
  }
  const notAllowed = (what) => new DOMException(`${what} is not available to a panel.`, 'NotAllowedError')
  const rejects = (kind, what) => () => {
    refused(kind, what, here())
    return Promise.reject(notAllowed(what))
  }
  const replace = (object, name, value) => {
    try {
      if (object && name in object) Object.defineProperty(object, name, { value, configurable: true, writable: true })
    } catch {
      /* It stays as it is: it is refused elsewhere too. */
    }
  }
  replace(window.ServiceWorkerContainer?.prototype, 'register', rejects('service-worker', 'serviceWorker.register'))
  replace(navigator.mediaDevices, 'getUserMedia', rejects('permission', 'getUserMedia'))
  replace(navigator.mediaDevices, 'getDisplayMedia', rejects('permission', 'getDisplayMedia'))
  for (const name of ['writeText', 'write']) {
    const plain = navigator.clipboard?.[name]?.bind(navigator.clipboard)
    const write = (data) =>
      plain(data).catch((error) => {
        refused('permission', `clipboard.${name}`)
        throw error
      })
    if (plain) replace(navigator.clipboard, name, write)
  }
  replace(navigator.clipboard, 'readText', rejects('permission', 'clipboard.readText'))
  replace(navigator.clipboard, 'read', rejects('permission', 'clipboard.read'))
  replace(window.Notification, 'requestPermission', () => {
    refused('permission', 'Notification.requestPermission', here())
    return Promise.resolve('denied')
  })
  for (const name of ['getCurrentPosition', 'watchPosition']) {
    replace(navigator.geolocation, name, (_, failed) => {
      refused('permission', `geolocation.${name}`, here())
      failed?.({ code: 1, message: 'Not available to a panel.', PERMISSION_DENIED: 1 })
      return 0
    })
  }
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    replace(window, name, function () {
      refused('remote', name, here())
      throw notAllowed(name)
    })
  }

  // A browser that blocks third-party storage blocks that of a frame of another origin.
  for (const name of ['localStorage', 'sessionStorage']) {
    try {
      void window[name]
    } catch (error) {
      const read = () => {
        refused('storage', name, here())
        throw error
      }
      Object.defineProperty(window, name, { get: read, configurable: true })
    }
  }
  const PlainSharedWorker = window.SharedWorker
  replace(
    window,
    'SharedWorker',
    class SharedWorker extends (PlainSharedWorker ?? Object) {
      constructor(...given) {
        try {
          super(...given)
        } catch (error) {
          if (error?.name === 'SecurityError') refused('storage', 'SharedWorker', here())
          throw error
        }
      }
    },
  )
  const plainOpen = window.IDBFactory?.prototype.open
  replace(window.IDBFactory?.prototype, 'open', function open(...given) {
    const explain = (error) => {
      if (error?.name === 'SecurityError' || error?.name === 'UnknownError') refused('storage', 'indexedDB.open')
    }
    try {
      const request = plainOpen.apply(this, given)
      request.addEventListener('error', () => explain(request.error))
      return request
    } catch (error) {
      explain(error)
      throw error
    }
  })

  // Nothing tells a page that a frame of its own is not shown; its document is out of reach then.
  window.document.addEventListener?.(
    'load',
    ({ target }) => {
      if (target?.localName !== 'iframe' || target.hasAttribute('srcdoc') || target.contentDocument !== null) return
      if (target.src.startsWith(`${origin}/`)) refused('frame', target.src)
    },
    true,
  )
  // A link that is not in the document is clicked without an event that arrives here.
  const plainClick = window.HTMLAnchorElement?.prototype.click
  replace(window.HTMLAnchorElement?.prototype, 'click', function click() {
    if (this.isConnected || !this.hasAttribute('download')) return plainClick.call(this)
    refused('download', this.href.slice(0, 500), here())
  })

  const byDirective = { 'frame-src': 'frame', 'worker-src': 'service-worker', 'form-action': 'navigation' }
  addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, sourceFile, lineNumber, columnNumber } = event
    const what = /^file\b/i.test(blockedURI) ? 'file' : (byDirective[effectiveDirective] ?? 'remote')
    const file = String(sourceFile ?? '').replace(origin, '')
    refused(what, `${effectiveDirective}: ${blockedURI}`, { file, line: lineNumber || null, column: columnNumber || null })
  })

  addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest('a[href], area[href]') : null
      if (!link) return
      const address = String(link.href)
      if (link.hasAttribute('download')) {
        refused('download', address.slice(0, 500))
        event.preventDefault()
      } else if (link.target && !['_self', '_top', '_parent'].includes(link.target)) {
        refused('window', address)
        event.preventDefault()
      }
    },
    true,
  )
  window.navigation?.addEventListener('navigate', (event) => {
    const to = event.destination.url
    if (to.startsWith(`${origin}/`) || to === origin) return
    refused('navigation', to.slice(0, 500), here())
    if (event.cancelable) event.preventDefault()
  })
}
