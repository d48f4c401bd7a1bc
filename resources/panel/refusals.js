/*
 * Reports actions that are refused to a panel's page. The policy and the sandbox refuse them
 * whether this runs or not. The file is served before `host.js`, in the same function.
 */

/**
 * Calls `reportRefusal(what, text, location)` whenever the page tries a refused action.
 *
 * @param getCallerLocation returns the location of the page's code that is running.
 * @param formatForReport formats a value of the page for the report.
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars -- host.js calls it
function explainRefusals({ origin, reportRefusal, getCallerLocation, formatForReport }) {
  window.open = (url) => {
    reportRefusal('window', `window.open(${formatForReport(url ?? '')})`, getCallerLocation())
    return null
  }
  window.close = () => reportRefusal('window', 'window.close()', getCallerLocation())
  for (const name of ['alert', 'confirm', 'prompt', 'print']) {
    window[name] = (text) => {
      reportRefusal('other', `${name}(${formatForReport(text ?? '')})`, getCallerLocation())
      return name === 'confirm' ? false : name === 'prompt' ? null : undefined
    }
  }
  const createNotAllowedError = (what) => new DOMException(`${what} is not available to a panel.`, 'NotAllowedError')
  const createRejecting = (kind, what) => () => {
    reportRefusal(kind, what, getCallerLocation())
    return Promise.reject(createNotAllowedError(what))
  }
  const replace = (object, name, value) => {
    try {
      if (object && name in object) Object.defineProperty(object, name, { value, configurable: true, writable: true })
    } catch {
      /* The original stays; the policy or the sandbox refuses it too. */
    }
  }
  replace(window.ServiceWorkerContainer?.prototype, 'register', createRejecting('service-worker', 'serviceWorker.register'))
  replace(navigator.mediaDevices, 'getUserMedia', createRejecting('permission', 'getUserMedia'))
  replace(navigator.mediaDevices, 'getDisplayMedia', createRejecting('permission', 'getDisplayMedia'))
  for (const name of ['writeText', 'write']) {
    const originalMethod = navigator.clipboard?.[name]?.bind(navigator.clipboard)
    const write = (data) =>
      originalMethod(data).catch((error) => {
        reportRefusal('permission', `clipboard.${name}`)
        throw error
      })
    if (originalMethod) replace(navigator.clipboard, name, write)
  }
  replace(navigator.clipboard, 'readText', createRejecting('permission', 'clipboard.readText'))
  replace(navigator.clipboard, 'read', createRejecting('permission', 'clipboard.read'))
  replace(window.Notification, 'requestPermission', () => {
    reportRefusal('permission', 'Notification.requestPermission', getCallerLocation())
    return Promise.resolve('denied')
  })
  for (const name of ['getCurrentPosition', 'watchPosition']) {
    replace(navigator.geolocation, name, (_, onError) => {
      reportRefusal('permission', `geolocation.${name}`, getCallerLocation())
      onError?.({ code: 1, message: 'Not available to a panel.', PERMISSION_DENIED: 1 })
      return 0
    })
  }
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    replace(window, name, function () {
      reportRefusal('remote', name, getCallerLocation())
      throw createNotAllowedError(name)
    })
  }

  // A browser that blocks third-party storage also blocks it in a frame of another origin.
  for (const name of ['localStorage', 'sessionStorage']) {
    try {
      void window[name]
    } catch (error) {
      const read = () => {
        reportRefusal('storage', name, getCallerLocation())
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
      constructor(...values) {
        try {
          super(...values)
        } catch (error) {
          if (error?.name === 'SecurityError') reportRefusal('storage', 'SharedWorker', getCallerLocation())
          throw error
        }
      }
    },
  )
  const plainOpen = window.IDBFactory?.prototype.open
  replace(window.IDBFactory?.prototype, 'open', function open(...values) {
    const explain = (error) => {
      if (error?.name === 'SecurityError' || error?.name === 'UnknownError') reportRefusal('storage', 'indexedDB.open')
    }
    try {
      const request = plainOpen.apply(this, values)
      request.addEventListener('error', () => explain(request.error))
      return request
    } catch (error) {
      explain(error)
      throw error
    }
  })

  // No event tells a page that one of its frames was refused; the frame's document is then
  // inaccessible.
  window.document.addEventListener?.(
    'load',
    ({ target }) => {
      if (target?.localName !== 'iframe' || target.hasAttribute('srcdoc') || target.contentDocument !== null) return
      if (target.src.startsWith(`${origin}/`)) reportRefusal('frame', target.src)
    },
    true,
  )
  // The click of a link outside the document sends no event to the listener below.
  const plainClick = window.HTMLAnchorElement?.prototype.click
  replace(window.HTMLAnchorElement?.prototype, 'click', function click() {
    if (this.isConnected || !this.hasAttribute('download')) return plainClick.call(this)
    reportRefusal('download', this.href.slice(0, 500), getCallerLocation())
  })

  const byDirective = { 'frame-src': 'frame', 'worker-src': 'service-worker', 'form-action': 'navigation' }
  addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, sourceFile, lineNumber, columnNumber } = event
    const what = /^file\b/i.test(blockedURI) ? 'file' : (byDirective[effectiveDirective] ?? 'remote')
    const file = String(sourceFile ?? '').replace(origin, '')
    reportRefusal(what, `${effectiveDirective}: ${blockedURI}`, { file, line: lineNumber || null, column: columnNumber || null })
  })

  addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest('a[href], area[href]') : null
      if (!link) return
      const address = String(link.href)
      if (link.hasAttribute('download')) {
        reportRefusal('download', address.slice(0, 500))
        event.preventDefault()
      } else if (link.target && !['_self', '_top', '_parent'].includes(link.target)) {
        reportRefusal('window', address)
        event.preventDefault()
      }
    },
    true,
  )
  window.navigation?.addEventListener('navigate', (event) => {
    const to = event.destination.url
    if (to.startsWith(`${origin}/`) || to === origin) return
    reportRefusal('navigation', to.slice(0, 500), getCallerLocation())
    if (event.cancelable) event.preventDefault()
  })
}
