/*
 * Reports with each call of the page which load of the page it comes from (`pageLoad`, which is
 * filled in when this file is served), and when that load began, so that the inspector can tell a
 * reload and a second tab apart. It runs in the page, before every script of the page, which can
 * change or imitate it, so only lists of calls and findings depend on it.
 */
/* global pageLoad */
'use strict'
;(() => {
  const HEADER = 'x-inspector-load'
  const plainFetch = window.fetch.bind(window)
  const plainOpen = XMLHttpRequest.prototype.open

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

  window.fetch = function fetch(input, init) {
    const isRequest = input instanceof Request
    if (!isBridgeCall(isRequest ? input.url : input)) return plainFetch(input, init)
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
    if (isBridgeCall(url)) this.setRequestHeader(HEADER, load)
  }
})()
