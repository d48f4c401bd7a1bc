/*
 * Says with each call of the page which load of the page it comes from (`pageLoad`, filled in when this is served), and when that load began,
 * so that the inspector keeps a reload and a second tab apart. It runs before every script of the page, in the page, which can change or imitate it: nothing
 * depends on it but lists of calls and findings.
 */
/* global pageLoad */
'use strict'
;(() => {
  const HEADER = 'x-inspector-load'
  const plainFetch = window.fetch.bind(window)
  const plainOpen = XMLHttpRequest.prototype.open

  const LOAD = Symbol.for('inspector.load')

  /** The load that the page around this frame belongs to; null in the panel's page itself, and where another origin is around it. */
  function outerLoad() {
    try {
      return window.parent === window ? null : (window.parent[LOAD] ?? null)
    } catch {
      return null
    }
  }
  const outer = outerLoad()
  const load = outer ?? pageLoad
  Object.defineProperty(window, LOAD, { value: load })
  if (outer === null) {
    const isReload = performance.getEntriesByType('navigation')[0]?.type === 'reload'
    const body = JSON.stringify({ load: Number(load), at: performance.timeOrigin, isReload })
    plainFetch('/__inspector/load', { method: 'POST', body }).catch(() => undefined)
  }

  const isCall = (url) => {
    try {
      const { origin, pathname } = new URL(url, document.baseURI)
      return origin === location.origin && pathname.startsWith('/bridge/v1/')
    } catch {
      return false
    }
  }

  window.fetch = function fetch(input, init) {
    const isRequest = input instanceof Request
    if (!isCall(isRequest ? input.url : input)) return plainFetch(input, init)
    try {
      const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined))
      headers.set(HEADER, load)
      return plainFetch(input, { ...init, headers })
    } catch {
      return plainFetch(input, init)
    }
  }

  XMLHttpRequest.prototype.open = function open(method, url, ...rest) {
    plainOpen.call(this, method, url, ...rest)
    if (isCall(url)) this.setRequestHeader(HEADER, load)
  }
})()
