/*
 * What a panel's page finds inside a host, and what the inspector wants to know about the page. It runs before every script of the page,
 * in the page: the page can change or imitate anything here, so nothing depends on it. It grants no right that plain `fetch` lacks.
 * `hostApiValue` is `shared/panel/host-api.ts`: what the panel lab shows of a call is computed by the same lines.
 */
/* global hostApiValue */
'use strict'
;(() => {
  const origin = location.origin
  const { stringify } = JSON
  const plainFetch = window.fetch.bind(window)

  /* ---- host.api: the host's own helper, to the letter (spec, part 1) ---- */

  /** Performs `fetch('/bridge/v1' + path, opts)`, always parses JSON, never rejects: a failure is a value that carries `error`. */
  async function api(path, opts) {
    try {
      const headers = new Headers(opts?.headers)
      headers.set('x-inspector-via', 'host.api')
      const response = await plainFetch('/bridge/v1' + path, { ...opts, headers })
      return hostApiValue({ status: response.status, text: await response.text() })
    } catch (error) {
      if (opts?.signal?.aborted || error?.name === 'AbortError') return hostApiValue('aborted')
      return invalidRequest(path, opts) ?? hostApiValue('broken')
    }
  }

  /** What a request with options that none can have fails with: nothing was sent then. Null for any other. */
  function invalidRequest(path, opts) {
    try {
      new Request('/bridge/v1' + path, opts)
      return null
    } catch (error) {
      return { error: { code: 'REQUEST_INVALID', message: String(error?.message ?? error) } }
    }
  }
  window.host = Object.freeze({ ...window.host, api })

  /* ---- What happens in the page, as notes ---- */

  const MOST_WAITING = 200
  let waiting = []
  let timer = 0
  let busy = false
  let toldTitle = null

  function send() {
    timer = 0
    const title = document.title || null
    if (busy || (waiting.length === 0 && title === toldTitle)) return
    busy = true
    const body = stringify({ title, notes: waiting.splice(0, MOST_WAITING) })
    toldTitle = title
    plainFetch('/__inspector/notes', { method: 'POST', body })
      .catch(() => undefined)
      .then(() => {
        busy = false
        if (waiting.length > 0) soon()
      })
  }
  const soon = () => {
    timer ||= setTimeout(send, 50)
  }
  function note(kind, level, text, where = {}, what = null) {
    if (waiting.length >= MOST_WAITING) return
    const { file = '', line = null, column = null } = where
    waiting.push({ kind, level, what, text: String(text).slice(0, 4000), file: String(file).slice(0, 500), line, column })
    soon()
  }
  const refused = (what, text, where) => note('refused', 'warning', text, where, what)

  /** Where a line of a stack points to; `skip` leaves out our own frames. */
  function placeIn(stack) {
    for (const line of String(stack ?? '').split('\n')) {
      const found = /((?:https?|[a-z-]+):\/\/[^\s()]+?):(\d+):(\d+)/.exec(line)
      if (found && !found[1].endsWith('/__inspector/host.js')) {
        return { file: found[1].replace(origin, ''), line: Number(found[2]), column: Number(found[3]) }
      }
    }
    return {}
  }
  const here = () => placeIn(new Error().stack)

  function shown(value) {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.stack?.includes(value.message) ? value.stack : `${value.name}: ${value.message}`
    if (value instanceof Element) return value.outerHTML.slice(0, 200)
    try {
      const seen = new WeakSet()
      const text = stringify(value, (_, one) => {
        if (typeof one === 'bigint') return `${one}n`
        if (typeof one === 'function') return `function ${one.name}`
        if (typeof one !== 'object' || one === null) return one
        if (seen.has(one)) return '…'
        seen.add(one)
        return one
      })
      return (text ?? String(value)).slice(0, 2000)
    } catch {
      return Object.prototype.toString.call(value)
    }
  }

  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warning', error: 'error', trace: 'debug', table: 'info', dir: 'info' }
  for (const [name, level] of Object.entries(levels)) {
    const plain = console[name].bind(console)
    console[name] = (...given) => {
      note('console', level, given.slice(0, 20).map(shown).join(' '), here())
      plain(...given)
    }
  }
  const plainAssert = console.assert.bind(console)
  console.assert = (holds, ...given) => {
    if (!holds) note('console', 'error', ['Assertion failed:', ...given.map(shown)].join(' '), here())
    plainAssert(holds, ...given)
  }

  addEventListener(
    'error',
    (event) => {
      if (event instanceof ErrorEvent) {
        const { message, filename, lineno, colno, error } = event
        const text = error?.stack?.includes(error.message) ? error.stack : message
        note('error', 'error', text, { file: filename.replace(origin, ''), line: lineno || null, column: colno || null })
      } else if (event.target instanceof Element) {
        const address = event.target.src ?? event.target.href ?? ''
        note('error', 'warning', `<${event.target.localName}> could not load ${String(address).replace(origin, '')}`)
      }
    },
    true,
  )
  addEventListener('unhandledrejection', ({ reason }) => {
    note('error', 'error', `Unhandled rejection: ${shown(reason)}`, placeIn(reason?.stack))
  })

  /* ---- What is refused here, said by the page itself: the policy and the sandbox refuse it whether this runs or not ---- */

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

  addEventListener('DOMContentLoaded', soon)
  addEventListener('load', () => {
    soon()
    const title = document.querySelector('title')
    if (title) new MutationObserver(soon).observe(title, { childList: true, characterData: true, subtree: true })
  })
  addEventListener('pagehide', () => {
    clearTimeout(timer)
    if (waiting.length > 0) navigator.sendBeacon('/__inspector/notes', stringify({ notes: waiting.splice(0) }))
  })
})()
