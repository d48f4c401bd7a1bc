// What runs inside the page: functions without anything from outside them, because each goes there as its own text.

import type { Act } from './stations.ts'

/** What the page looked like once it had come to rest. */
export interface Seen {
  /** Whether a toolbar, a heading or tabs stand in `main`. */
  readonly landmark: boolean
  /** Whether anything stands beside them. */
  readonly content: boolean
  readonly alerts: readonly string[]
  /** Whether the page says that an answer is not what was promised. */
  readonly said: boolean
  /** A line for each block. */
  readonly text: string
  /** Uncaught errors, unhandled rejections, and what was written to the console as an error. */
  readonly errors: readonly string[]
  readonly online: boolean
  /** Whether it came to rest in time. */
  readonly settled: boolean
}

interface Watch {
  readonly errors: string[]
  /** Replies to reads of the shell's own, by endpoint: given again while nothing is changed in them. */
  readonly kept: Map<string, Response>
  keeps: boolean
  pending: number
  changedAt: number
}

/** Before the page's own code: counts what is under way, and keeps what goes wrong. */
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
  // Through the router alone: an address that changes ten times a second costs the browser more than the page.
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
  /** Takes the shell's answers from before. */
  readonly keeps: boolean
  /** Milliseconds without a change after which the page is at rest. */
  readonly quietMs: number
  readonly timeoutMs: number
}

/**
 * From between two places (an address that leads nowhere): makes the page forget what it has read, as another host does, goes to a place, and
 * looks at it once it rests.
 */
export async function visit({ hash, act, keeps, quietMs, timeoutMs }: Visit): Promise<Seen> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- stores of the page, which this file cannot import
  const store = (name: string): any => (Reflect.get(window, 'mutationStore') as (name: string) => unknown)(name)
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

  /** Nothing under way and nothing drawn for a while, and in that while frames were drawn. */
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
    // Raw JSON is drawn as far as it is in sight: what of it can be read says nothing.
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

/** Goes between two places; false where that does not come. With all errors since the visit began, those on the way out among them. */
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

/** Sets what a person can set, and waits until it is kept. */
export async function changeSettings(patch: Readonly<Record<string, unknown>>): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a store of the page, which this file cannot import
  const settings: any = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('settings')
  settings.update(patch)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
}

/** Connects anew to the host that is connected. */
export async function reconnect(): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a store of the page, which this file cannot import
  const connection: any = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('connection')
  await connection.connect(connection.state.profile.id)
}
