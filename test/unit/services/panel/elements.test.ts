import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Window } from 'happy-dom'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../../scripts/lib/paths.mjs'

const ORIGIN = 'http://panel.test'
const script = readFileSync(path.join(root, 'resources/panel/elements.js'), 'utf8')

interface Report {
  readonly load: number
  readonly page: string
  readonly stacks: readonly string[]
  readonly elements: readonly { readonly address: string; readonly stack: number }[]
}

/** Loads the script into a page, with a stack that says how often one was taken. */
function createPage() {
  const window = new Window({ url: `${ORIGIN}/pages/index.html` })
  onTestFinished(() => window.happyDOM.close())
  const reports: Report[] = []
  const timers: (() => void)[] = []
  let stackCount = 0
  let stack = 'main'
  Object.assign(window, {
    fetch: (_: string, init: RequestInit) => {
      reports.push(JSON.parse(String(init.body)) as Report)
      return Promise.resolve(new Response())
    },
    setTimeout: (callback: () => void) => timers.push(callback),
    [Symbol.for('inspector.load')]: '7',
  })
  const pageCalls = {
    captureStack() {
      stackCount += 1
      return stack
    },
  }
  const names = ['window', 'document', 'location', 'Element', 'URL', 'performance', 'pageCalls']
  const values = [window, window.document, window.location, window.Element, window.URL, window.performance, pageCalls]
  new Function(...names, script)(...values)
  /** Ends the task of the page, and returns what it reported. */
  function readReports(): Report[] {
    for (const callback of timers.splice(0)) callback()
    return reports.splice(0)
  }
  /** Lists addresses once, because a property of happy-dom also sets an attribute. */
  const listElements = ({ stacks, elements }: Report): string[] => [
    ...new Set(elements.map(({ address, stack: index }) => `${stacks[index]} ${address}`)),
  ]
  return {
    window,
    document: window.document,
    setStack: (next: string) => void (stack = next),
    getStackCount: () => stackCount,
    readReports,
    listElements,
    readElements: () => readReports().flatMap(listElements),
  }
}

test('an element that code gives an address is reported with the stack, once per task', () => {
  const { window, document, setStack, readReports, listElements } = createPage()
  const image = new window.Image()
  image.src = '/bridge/v1/a'
  setStack('other')
  document.createElement('img').setAttribute('src', '../bridge/v1/b?x=1')
  document.createElement('script').src = '/bridge/v1/c'
  const reports = readReports()
  expect(reports).toMatchObject([{ load: 7, page: '/pages/index.html', stacks: ['main', 'other'] }])
  expect(reports.flatMap(listElements)).toEqual(['main /bridge/v1/a', 'other /bridge/v1/b?x=1', 'other /bridge/v1/c'])
})

test('sizes, markup and styles are searched for addresses', () => {
  const { document, readElements } = createPage()
  const box = document.createElement('div')
  box.innerHTML = '<p><img src="/bridge/v1/markup?a=1&amp;b=2"><a href="/bridge/v1/link">x</a></p>'
  expect(readElements()).toEqual(['main /bridge/v1/markup?a=1&b=2'])
  document.createElement('div').insertAdjacentHTML('beforeend', '<video poster="/bridge/v1/poster"></video>')
  expect(readElements()).toEqual(['main /bridge/v1/poster'])
  document.createElement('img').setAttribute('srcset', '/bridge/v1/s 1x,/bridge/v1/m 2x, /bridge/v1/l 3x')
  expect(readElements()).toEqual(['main /bridge/v1/s', 'main /bridge/v1/m', 'main /bridge/v1/l'])
  box.setAttribute('style', 'background: url("/bridge/v1/back")')
  expect(readElements()).toEqual(['main /bridge/v1/back'])
})

test('other addresses cost no stack, and links are left out', () => {
  const { window, document, getStackCount, readReports } = createPage()
  new window.Image().src = '/picture.png'
  new window.Image().src = 'https://example.com/bridge/v1/a'
  document.createElement('a').setAttribute('href', '/bridge/v1/a')
  document.createElement('p').setAttribute('title', '/bridge/v1/a')
  expect(getStackCount()).toBe(0)
  expect(readReports()).toEqual([])
})

test('the page sees its elements as without the script, and can replace the properties', () => {
  const { window, document, readElements } = createPage()
  const plain = new Window()
  onTestFinished(() => plain.happyDOM.close())
  const image = new window.Image()
  image.src = '/bridge/v1/a'
  expect(image.src).toBe(`${ORIGIN}/bridge/v1/a`)
  for (const [watched, original, name] of [
    [window.HTMLImageElement, plain.HTMLImageElement, 'src'],
    [window.Element, plain.Element, 'innerHTML'],
    [window.Element, plain.Element, 'setAttribute'],
  ] as const) {
    const { enumerable, configurable } = Object.getOwnPropertyDescriptor(watched.prototype, name) ?? {}
    expect({ enumerable, configurable }).toMatchObject({
      ...{ enumerable: Object.getOwnPropertyDescriptor(original.prototype, name)?.enumerable, configurable: true },
    })
  }
  let converted = 0
  const value = { toString: () => `/bridge/v1/${(converted += 1)}` }
  image.setAttribute('alt', value as unknown as string)
  expect(converted).toBe(1)
  readElements()
  Object.defineProperty(window.HTMLImageElement.prototype, 'src', { set: () => undefined, configurable: true })
  document.createElement('img').src = '/bridge/v1/b'
  expect(readElements()).toEqual([])
})

test('of too many elements in one task none is reported, because a part could be taken for the whole', () => {
  const { window, readReports } = createPage()
  for (let index = 0; index < 2_000; index += 1) new window.Image().src = `/bridge/v1/${index}`
  expect(readReports()).toEqual([])
  new window.Image().src = '/bridge/v1/next'
  expect(readReports()).toHaveLength(1)
})
