/*
 * Reports with each call of the page which load of the page it comes from (`pageLoad`, which is
 * filled in when this file is served), and when that load began and ends, so that the inspector can
 * tell a reload and a second tab apart. A call also carries the stack of the code that made it (`pageCalls`).
 * The script runs in the page, before every script of the page, which can change or imitate it, so
 * only lists of calls and findings depend on it.
 */
/* global pageCalls, pageLoad */
'use strict'
;(() => {
  const LOAD_HEADER = 'x-inspector-load'
  const CALL_HEADER = 'x-inspector-call'
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
    const { pathname, search } = location
    const body = JSON.stringify({ load: Number(load), at: performance.timeOrigin, isReload, page: pathname + search })
    plainFetch('/__inspector/load', { method: 'POST', body }).catch(() => undefined)
    const left = { method: 'POST', body: JSON.stringify({ load: Number(load) }), keepalive: true }
    addEventListener('pagehide', () => void plainFetch('/__inspector/left', left).catch(() => undefined))
  }

  const isBridgeCall = (url) => {
    try {
      const { origin, pathname } = new URL(url, document.baseURI)
      return origin === location.origin && pathname.startsWith('/bridge/v1/')
    } catch {
      return false
    }
  }

  /** Sets the headers that name the load and the call. The inspector takes them off. */
  function setHeaders(call, setHeader) {
    setHeader(LOAD_HEADER, load)
    setHeader(CALL_HEADER, call.id)
    if (call.stack !== '') setHeader(STACK_HEADER, call.stack)
  }

  window.fetch = function fetch(input, init) {
    const isRequest = input instanceof Request
    if (!isBridgeCall(isRequest ? input.url : input)) return plainFetch(input, init)
    const call = pageCalls.begin()
    try {
      const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined))
      setHeaders(call, (name, value) => headers.set(name, value))
      return pageCalls.follow(call, plainFetch(input, { ...init, headers }))
    } catch {
      return plainFetch(input, init)
    }
  }

  const bridgeRequests = new WeakSet()

  XMLHttpRequest.prototype.open = function open(method, url, ...rest) {
    plainOpen.call(this, method, url, ...rest)
    if (isBridgeCall(url)) bridgeRequests.add(this)
    else bridgeRequests.delete(this)
  }

  XMLHttpRequest.prototype.send = function send(body) {
    if (bridgeRequests.delete(this)) {
      const call = pageCalls.begin()
      setHeaders(call, (name, value) => this.setRequestHeader(name, value))
      this.addEventListener('readystatechange', () => this.readyState === XMLHttpRequest.DONE && pageCalls.settle(call))
    }
    return plainSend.call(this, body)
  }
})()
