/*
 * Reports with each call of the page which load of the page it comes from (`pageLoad`, which is
 * filled in when this file is served), and when that load began, so that the inspector can tell a
 * reload and a second tab apart. A call also carries the stack of the code that made it. The script
 * runs in the page, before every script of the page, which can change or imitate it, so only lists
 * of calls and findings depend on it.
 */
/* global pageLoad */
'use strict'
;(() => {
  const LOAD_HEADER = 'x-inspector-load'
  const STACK_HEADER = 'x-inspector-stack'
  const plainFetch = window.fetch.bind(window)
  const { open: plainOpen, send: plainSend } = XMLHttpRequest.prototype

  const LOAD = Symbol.for('inspector.load')

  /**
   * Returns the load of the panel's page around this frame; null in the panel's page itself, and if
   * a page of another origin is around it.
   */
  function findOuterLoad() {
    try {
      return window.parent === window ? null : (window.parent[LOAD] ?? null)
    } catch {
      return null
    }
  }
  const outerLoad = findOuterLoad()
  const load = outerLoad ?? pageLoad
  Object.defineProperty(window, LOAD, { value: load })
  if (outerLoad === null) {
    const isReload = performance.getEntriesByType('navigation')[0]?.type === 'reload'
    const body = JSON.stringify({ load: Number(load), at: performance.timeOrigin, isReload })
    plainFetch('/__inspector/load', { method: 'POST', body }).catch(() => undefined)
  }

  const isBridgeCall = (url) => {
    try {
      const { origin, pathname } = new URL(url, document.baseURI)
      return origin === location.origin && pathname.startsWith('/bridge/v1/')
    } catch {
      return false
    }
  }

  const MAX_FRAMES = 20
  const MAX_FRAME_CHARS = 300
  const MAX_STACK_CHARS = 4_000
  const OWN_FILE = `${location.origin}/__inspector/host.js:`
  const PlainError = Error

  /** Returns the URI-encoded stack of the page's code; empty if there is none. */
  function captureStack() {
    const { stackTraceLimit } = PlainError
    try {
      // Some frames are of this file, and are left out.
      PlainError.stackTraceLimit = MAX_FRAMES + 5
      const lines = String(new PlainError().stack).split('\n')
      let text = ''
      for (const line of lines) {
        if (line.includes(OWN_FILE) || line.length > MAX_FRAME_CHARS || !/:\d+\)?$/.test(line)) continue
        const encoded = encodeURI(`${line.replace(location.origin, '').trim()}\n`)
        if (text.length + encoded.length > MAX_STACK_CHARS) break
        text += encoded
      }
      return text
    } catch {
      return ''
    } finally {
      PlainError.stackTraceLimit = stackTraceLimit
    }
  }

  function setStackHeader(setHeader) {
    const stack = captureStack()
    if (stack !== '') setHeader(STACK_HEADER, stack)
  }

  window.fetch = function fetch(input, init) {
    const isRequest = input instanceof Request
    if (!isBridgeCall(isRequest ? input.url : input)) return plainFetch(input, init)
    try {
      const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined))
      headers.set(LOAD_HEADER, load)
      setStackHeader((name, value) => headers.set(name, value))
      return plainFetch(input, { ...init, headers })
    } catch {
      return plainFetch(input, init)
    }
  }

  const bridgeRequests = new WeakSet()

  XMLHttpRequest.prototype.open = function open(method, url, ...rest) {
    plainOpen.call(this, method, url, ...rest)
    if (!isBridgeCall(url)) return void bridgeRequests.delete(this)
    bridgeRequests.add(this)
    this.setRequestHeader(LOAD_HEADER, load)
  }

  XMLHttpRequest.prototype.send = function send(body) {
    if (bridgeRequests.delete(this)) setStackHeader((name, value) => this.setRequestHeader(name, value))
    return plainSend.call(this, body)
  }
})()
