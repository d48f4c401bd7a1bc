import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaleBounds } from '../../../electron/desktop/view-position.ts'
import { createBlockingProxy, findPanelRefusal, getDestination } from '../../../electron/desktop/panel-isolation.ts'

const id = '0123456789abcdef'
const ownOrigin = `bridge-panel://${id}/`
const server = new URL('http://localhost:5173/')
const verdict = (url: string, resourceType: string, from: URL | null = null) =>
  findPanelRefusal({ url, resourceType: resourceType as 'xhr' }, id, from)

describe('safety 30: requests of a panel session', () => {
  test.each([
    [ownOrigin, 'mainFrame'],
    [`${ownOrigin}frame.html`, 'subFrame'],
    [`${ownOrigin}bridge/v1/ui-state`, 'xhr'],
    ['data:image/png;base64,AA==', 'image'],
    [`blob:bridge-panel://${id}/1`, 'script'],
    ['devtools://devtools/bundled/devtools_app.html', 'mainFrame'],
  ])('to %s are allowed as %s', (url, type) => {
    expect(verdict(url, type)).toBeNull()
  })

  test.each([
    ['http://127.0.0.1:42340/bridge/v1/status', 'xhr', 'remote'],
    ['http://127.0.0.1:42340/x.png', 'image', 'remote'],
    ['https://example.org/', 'script', 'remote'],
    ['ws://127.0.0.1:42340/', 'webSocket', 'remote'],
    ['app://bridge-inspector/', 'xhr', 'remote'],
    ['bridge-content://bridge-inspector/abc', 'image', 'remote'],
    [`bridge-panel://${id}.evil/`, 'xhr', 'remote'],
    [`bridge-panel://x@${id}/`, 'xhr', 'remote'],
    ['file:///etc/passwd', 'xhr', 'file'],
    ['FILE:///etc/passwd', 'image', 'file'],
    ['http://127.0.0.1:42340/', 'mainFrame', 'navigation'],
    ['http://127.0.0.1:42340/', 'subFrame', 'frame'],
    ['data:text/html,x', 'subFrame', 'frame'],
    ['data:text/html,x', 'mainFrame', 'navigation'],
    ['not an address', 'xhr', 'remote'],
  ])('to %s are refused as %s', (url, type, reason) => {
    expect(verdict(url, type)).toBe(reason)
    expect(verdict(url, type, server)).toBe(reason)
  })

  test('are allowed to the WebSocket of the development server, and to nothing else of that server', () => {
    expect(verdict('ws://localhost:5173/?token=x', 'webSocket', server)).toBeNull()
    expect(verdict('ws://127.0.0.1:5173/', 'webSocket', server)).toBeNull()
    expect(verdict('ws://[::1]:5173/', 'webSocket', server)).toBeNull()
    expect(verdict('ws://localhost:5173/', 'webSocket', null)).toBe('remote')
    expect(verdict('ws://localhost:5174/', 'webSocket', server)).toBe('remote')
    expect(verdict('wss://localhost:5173/', 'webSocket', server)).toBe('remote')
    expect(verdict('ws://192.168.1.2:5173/', 'webSocket', server)).toBe('remote')
    expect(verdict('ws://localhost.evil:5173/', 'webSocket', server)).toBe('remote')
    expect(verdict('http://localhost:5173/', 'xhr', server)).toBe('remote')
  })

  test('are refused to any other origin', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'ws', 'app', 'bridge-panel'), fc.string(), (scheme, rest) => {
        expect(verdict(`${scheme}://${rest}`, 'xhr')).toBe('remote')
      }),
    )
  })

  test('that bypass the request filter end at a proxy that does not exist, loopback included', () => {
    expect(createBlockingProxy(null)).toEqual({ proxyRules: 'http://127.0.0.1:1', proxyBypassRules: '<-loopback>' })
    expect(createBlockingProxy(server).proxyBypassRules).toBe('<-loopback>;127.0.0.1:5173;localhost:5173;[::1]:5173')
    expect(createBlockingProxy(new URL('http://localhost/')).proxyBypassRules).toContain('localhost:80')
  })
})

describe('bounds of the panel view', () => {
  test('are whole pixels of the window, scaled by the zoom of the page', () => {
    expect(scaleBounds({ x: 10.4, y: 20.6, width: 100.2, height: 50 }, 1)).toEqual({
      x: 10,
      y: 21,
      width: 101,
      height: 50,
    })
    expect(scaleBounds({ x: 10, y: 20, width: 100, height: 50 }, 1.5)).toEqual({ x: 15, y: 30, width: 150, height: 75 })
  })

  test('share edges with their neighbors and are never empty', () => {
    const size = fc.double({ min: 0.01, max: 2000, noNaN: true })
    fc.assert(
      fc.property(size, size, size, fc.double({ min: 0.25, max: 4, noNaN: true }), (x, width, next, factor) => {
        const left = scaleBounds({ x, y: 0, width, height: 1 }, factor)
        const right = scaleBounds({ x: x + width, y: 0, width: next, height: 1 }, factor)
        expect(left.width).toBeGreaterThanOrEqual(1)
        if (left.width > 1) expect(left.x + left.width).toBe(right.x)
      }),
    )
  })
})

test('a request of an element says what it is loaded as; a document and the page’s code say nothing', () => {
  const findDestination = (resourceType: string, accept = '*/*') =>
    getDestination({ resourceType: resourceType as 'xhr', requestHeaders: { Accept: accept } })
  expect(['image', 'stylesheet', 'script', 'font', 'media'].map((type) => findDestination(type))).toEqual([
    ...['image', 'style', 'script', 'font', 'media'],
  ])
  expect(findDestination('script', 'application/json,*/*;q=0.5')).toBe('json')
  expect(['mainFrame', 'subFrame', 'xhr', 'webSocket', 'other'].map((type) => findDestination(type))).toEqual(
    Array.from({ length: 5 }, () => null),
  )
})
