// What runs inside the page: functions without outside references, because each is sent there as source text.

import type { Act } from './stations.ts'

/** What the page looked like once at rest. */
export interface Seen {
  /** Whether `main` has a toolbar, a heading or tabs. */
  readonly landmark: boolean
  /** Whether it has anything else. */
  readonly content: boolean
  readonly alerts: readonly string[]
  /** Whether the page says that an answer doesn't match the contract. */
  readonly said: boolean
  /** One line per block. */
  readonly text: string
  /** Uncaught errors, unhandled rejections, and console errors. */
  readonly errors: readonly string[]
  readonly online: boolean
  /** Whether it came to rest in time. */
  readonly settled: boolean
}

interface Watch {
  readonly errors: string[]
  /** Replies to the shell's own reads, by endpoint: reused while nothing is changed in them. */
  readonly kept: Map<string, Response>
  keeps: boolean
  pending: number
  changedAt: number
}

/** Runs before the page's own code: counts pending work, and records what goes wrong. */
export function watchPage(): void {
  const watch: Watch = { errors: [], kept: new Map(), keeps: false, pending: 0, changedAt: performance.now() }
  Reflect.set(window, 'mutationWatch', watch)
  interface Globals {
    readonly $pinia: { readonly _s: Map<string, unknown> }
    readonly $router: {
      readonly currentRoute: { readonly value: { readonly fullPath: string } }
      replace(to: string): Promise<unknown>
    }
  }
  const globals = (): Globals => {
    const { appContext } = Reflect.get(document.querySelector('#app') ?? {}, '_vnode') as {
      appContext: { config: { globalProperties: Globals } }
    }
    return appContext.config.globalProperties
  }
  Reflect.set(window, 'mutationStore', (name: string): unknown => globals().$pinia._s.get(name))
  // Through the router only: an address changing ten times a second costs the browser more than the page.
  Reflect.set(window, 'mutationGo', (hash: string) => globals().$router.replace(hash.slice(1)))
  history.replaceState = () => undefined
  history.pushState = () => undefined
  const said = (thrown: unknown): string =>
    thrown instanceof Error ? `${thrown.message}\n${thrown.stack ?? ''}` : String(thrown)
  addEventListener('error', (event) => watch.errors.push(`error: ${said(event.error ?? event.message)}`))
  addEventListener('unhandledrejection', (event) => watch.errors.push(`rejection: ${said(event.reason)}`))
  document.addEventListener('securitypolicyviolation', (event) =>
    watch.errors.push(`policy: ${event.violatedDirective}`),
  )
  console.error = (...parts: unknown[]) => watch.errors.push(`console: ${parts.map(said).join(' ')}`)

  const realFetch = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    if (String(input).startsWith('/ipc/events')) return realFetch(input, init)
    watch.pending += 1
    try {
      const asked = watch.keeps && init?.body instanceof Blob ? await init.body.text() : ''
      const shared = /"endpoint":"(studySets\.list|decks\.list)"/.exec(asked)?.[1]
      if (shared === undefined) return await realFetch(input, init)
      const kept = watch.kept.get(shared) ?? (await realFetch(input, { ...init, signal: null }))
      watch.kept.set(shared, kept)
      return kept.clone()
    } finally {
      watch.pending -= 1
    }
  }
  const RealWorker = window.Worker
  window.Worker = class extends RealWorker {
    readonly #asked = new Set<number>()

    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      this.addEventListener('message', ({ data }: MessageEvent<{ seq?: number; kind?: string; stretch?: unknown }>) => {
        if (data?.seq === undefined || data.stretch !== undefined || data.kind === 'head') return
        if (this.#asked.delete(data.seq)) watch.pending -= 1
      })
    }

    override postMessage(message: unknown, options?: StructuredSerializeOptions | Transferable[]): void {
      const seq = (message as { seq?: unknown } | null)?.seq
      if (typeof seq === 'number') {
        this.#asked.add(seq)
        watch.pending += 1
      }
      super.postMessage(message, options as Transferable[])
    }

    override terminate(): void {
      watch.pending -= this.#asked.size
      this.#asked.clear()
      super.terminate()
    }
  }
  addEventListener('DOMContentLoaded', () => {
    const observer = new MutationObserver(() => (watch.changedAt = performance.now()))
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  })
}

interface Visit {
  readonly hash: string
  readonly act: Act | null
  /** Reuses the shell's earlier answers. */
  readonly keeps: boolean
  /** Milliseconds without a change that count as rest. */
  readonly quietMs: number
  readonly timeoutMs: number
}

/**
 * Starting between two places (at an unknown address): makes the page forget what it has read, as for another host, goes to a place, and
 * captures it once at rest.
 */
export async function visit({ hash, act, keeps, quietMs, timeoutMs }: Visit): Promise<Seen> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- stores of the page, which this file cannot import
  const store = (name: string): any => (Reflect.get(window, 'mutationStore') as (name: string) => unknown)(name)
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

  /** Nothing pending and nothing rendered for a while, in which frames were drawn. */
  async function rest(): Promise<boolean> {
    const began = performance.now()
    let frames = 0
    for (let last = watch.changedAt; ; last = watch.changedAt) {
      await pause(8)
      await frame()
      frames = watch.pending === 0 && last === watch.changedAt ? frames + 1 : 0
      const now = performance.now()
      if (frames > 1 && now - Math.max(watch.changedAt, began) > quietMs) return true
      if (now - began > timeoutMs) return false
    }
  }

  async function goTo(place: string): Promise<void> {
    await (Reflect.get(window, 'mutationGo') as (hash: string) => Promise<unknown>)(place)
    await pause(0)
  }

  const connection = store('connection')
  const state = connection.state
  watch.keeps = keeps
  await goTo('#/between')
  connection.state = { ...state, phase: 'none', profile: null }
  await pause(0)
  watch.errors.length = 0
  connection.state = state
  const tree = store('tree')
  if (tree?.key && hash.includes('/tree')) tree.restart()
  if (act === 'reconnect') await connection.connect(state.profile.id)
  await goTo(hash)
  if (act === 'follow') store('follow').toggle()
  if (act === 'find') store('ui').overlay = 'palette'
  if (typeof act === 'object' && act) store('operations').compose(act.compose, act.values)
  let settled = await rest()
  const rows = '[role="treeitem"], [role="row"].row, [role="row"]:has([role="gridcell"])'
  if (act === 'select') {
    document.querySelector<HTMLElement>(`main :is(${rows})`)?.click()
    settled = (await rest()) && settled
  }
  return { ...(Reflect.get(window, 'mutationLook') as typeof look)(), settled }
}

/** What the page shows now. */
export function look(): Omit<Seen, 'settled'> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  const toolbars = '[role="toolbar"], [role="tablist"], header, h1, .toolbar'
  const textIn = (element: HTMLElement): string => {
    let text = element.innerText
    // Only the visible part of raw JSON is rendered, so its text proves nothing.
    for (const raw of element.querySelectorAll<HTMLElement>('.cm-editor')) text = text.replace(raw.innerText, ' ')
    return text
  }
  const place = document.querySelector('main')
  const besides = document.querySelectorAll<HTMLElement>('aside, dialog, [role="dialog"]')
  const content = (): boolean => {
    if (!place) return false
    const bars = [...place.querySelectorAll<HTMLElement>(toolbars)]
    const outer = bars.filter((bar) => !bars.some((other) => other !== bar && other.contains(bar)))
    const beside = outer.reduce((text, bar) => text.replace(bar.innerText, ''), place.innerText)
    return beside.trim() !== '' || place.querySelector('img, canvas, svg[role="img"], [role="treeitem"]') !== null
  }
  const connection = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('connection')
  return {
    landmark: place !== null && place.querySelector(toolbars) !== null,
    content: content(),
    alerts: [...document.querySelectorAll<HTMLElement>('[role="alert"]')].map(({ innerText }) =>
      innerText.slice(0, 300),
    ),
    said: document.querySelector('[role="alert"], .findings, .problems') !== null,
    text: [place, ...besides]
      .map((part) => (part ? textIn(part) : ''))
      .join('\n')
      .replaceAll('\t', '\n')
      .replace(/[^\S\n]+/g, ' ')
      .slice(0, 3_000_000),
    errors: [...watch.errors],
    online: Reflect.get(connection as object, 'phase') === 'online',
  }
}

/** Goes between two places; returns false if that fails, with all errors since the visit began, including those while leaving. */
export async function leave(): Promise<{ readonly arrived: boolean; readonly errors: readonly string[] }> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- stores of the page, which this file cannot import
  const store = (name: string): any => (Reflect.get(window, 'mutationStore') as (name: string) => unknown)(name)
  if (store('follow').on) store('follow').toggle()
  store('ui').overlay = null
  store('operations').composing = null
  void (Reflect.get(window, 'mutationGo') as (hash: string) => Promise<unknown>)('#/between')
  for (let waited = 0; waited < 3_000; waited += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (document.querySelector('main h1')?.textContent.trim() === 'Page not found') {
      return { arrived: true, errors: [...watch.errors] }
    }
  }
  return { arrived: false, errors: [...watch.errors] }
}

/** Changes settings as a user can, and waits until they are saved. */
export async function changeSettings(patch: Readonly<Record<string, unknown>>): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a store of the page, which this file cannot import
  const settings: any = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('settings')
  settings.update(patch)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
}

/** Reconnects to the connected host. */
export async function reconnect(): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a store of the page, which this file cannot import
  const connection: any = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('connection')
  await connection.connect(connection.state.profile.id)
}
