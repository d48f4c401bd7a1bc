// What runs inside the page: functions without outside references, because each is sent there as
// source text.

import type { Act } from './stations.ts'
import type { Watch } from './watch.ts'

/** The state of the page once it is at rest. */
export interface PageState {
  /** Whether `main` has a toolbar, a heading or tabs. */
  readonly hasLandmark: boolean
  /** Whether `main` has anything else. */
  readonly hasContent: boolean
  readonly alerts: readonly string[]
  /** Whether the page reports a response that does not match the contract. */
  readonly reportsMismatch: boolean
  /** One line per block. */
  readonly text: string
  /** Uncaught errors, unhandled rejections, and console errors. */
  readonly errors: readonly string[]
  readonly isOnline: boolean
  /** Whether it came to rest in time. */
  readonly isSettled: boolean
}

/** The state of the page after it was left. */
export interface LeaveResult {
  readonly hasArrived: boolean
  /** All errors since the visit began, including those while leaving. */
  readonly errors: readonly string[]
}

interface Visit {
  readonly hash: string
  readonly act: Act | null
  /** Whether the visit reuses the shell's earlier responses. */
  readonly keepsResponses: boolean
  /** Milliseconds without a change that count as rest. */
  readonly quietMs: number
  readonly timeoutMs: number
  /** Goes between two places again. */
  readonly shouldLeave: boolean
}

/**
 * Starting between two places (at an unknown address): makes the page forget what it has read, as
 * for another host, goes to a place, and captures it once at rest.
 */
export async function visit({
  hash,
  act,
  keepsResponses,
  quietMs,
  timeoutMs,
  shouldLeave,
}: Visit): Promise<[PageState, LeaveResult | null]> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- stores of the page, which this file cannot import
  const getStore = (name: string): any => (Reflect.get(window, 'mutationStore') as (name: string) => unknown)(name)
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const waitForFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

  /** Nothing pending and nothing rendered for a while, in which frames were drawn. */
  async function waitForRest(): Promise<boolean> {
    const began = performance.now()
    const computeQuietMs = (): number => performance.now() - Math.max(watch.changedAt, began)
    while (performance.now() - began < timeoutMs) {
      await pause(Math.max(5, quietMs - computeQuietMs()))
      if (watch.pending > 0 || computeQuietMs() < quietMs) continue
      // Frames cost more than waiting, so they are requested only when the page seems to be at
      // rest.
      const last = watch.changedAt
      await waitForFrame()
      await waitForFrame()
      await pause(0)
      if (watch.pending === 0 && watch.changedAt === last) return true
    }
    return false
  }

  async function goTo(place: string): Promise<void> {
    await (Reflect.get(window, 'mutationGo') as (hash: string) => Promise<unknown>)(place)
    await pause(0)
  }

  const connection = getStore('connection')
  const state = connection.state
  watch.keeps = keepsResponses
  await goTo('#/between')
  connection.state = { ...state, phase: 'none', profile: null }
  await pause(0)
  watch.errors.length = 0
  // The phases follow each other as in a real connection; otherwise the shell would read twice.
  connection.state = { ...state, phase: 'connecting' }
  await pause(0)
  connection.state = state
  const tree = getStore('tree')
  if (tree?.key && hash.includes('/tree')) tree.restart()
  if (act === 'reconnect') await connection.connect(state.profile.id)
  await goTo(hash)
  if (act === 'follow') getStore('follow-mode').toggle()
  if (act === 'find') getStore('ui').overlay = 'palette'
  if (typeof act === 'object' && act) getStore('operations').compose(act.compose, act.values)
  let isSettled = await waitForRest()
  const rows = '[role="treeitem"], [role="row"].row, [role="row"]:has([role="gridcell"])'
  if (act === 'select') {
    document.querySelector<HTMLElement>(`main :is(${rows})`)?.click()
    isSettled = (await waitForRest()) && isSettled
  }
  const snapshot = { ...(Reflect.get(window, 'mutationLook') as typeof look)(), isSettled }
  return [snapshot, shouldLeave ? await (Reflect.get(window, 'mutationLeave') as typeof leave)() : null]
}

/** What the page shows now. */
export function look(): Omit<PageState, 'isSettled'> {
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
  const hasContent = (): boolean => {
    if (!place) return false
    if (place.querySelector('img, canvas, svg[role="img"], [role="treeitem"]')) return true
    const bars = [...place.querySelectorAll<HTMLElement>(toolbars)]
    const outer = bars.filter((bar) => !bars.some((other) => other !== bar && other.contains(bar)))
    const beside = outer.reduce((text, bar) => text.replace(bar.innerText, ''), place.innerText)
    return beside.trim() !== ''
  }
  const connection = (Reflect.get(window, 'mutationStore') as (name: string) => unknown)('connection')
  return {
    hasLandmark: place !== null && place.querySelector(toolbars) !== null,
    hasContent: hasContent(),
    alerts: [...document.querySelectorAll<HTMLElement>('[role="alert"]')].map(({ innerText }) =>
      innerText.slice(0, 300),
    ),
    reportsMismatch: document.querySelector('[role="alert"], .findings, .problems') !== null,
    text: [place, ...besides]
      .map((part) => (part ? textIn(part) : ''))
      .join('\n')
      .replaceAll('\t', '\n')
      .replace(/[^\S\n]+/g, ' ')
      .slice(0, 3_000_000),
    errors: [...watch.errors],
    isOnline: Reflect.get(connection as object, 'phase') === 'online',
  }
}

/** Goes between two places. */
export async function leave(): Promise<LeaveResult> {
  const watch = Reflect.get(window, 'mutationWatch') as Watch
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- stores of the page, which this file cannot import
  const getStore = (name: string): any => (Reflect.get(window, 'mutationStore') as (name: string) => unknown)(name)
  if (getStore('follow-mode').on) getStore('follow-mode').toggle()
  getStore('ui').overlay = null
  getStore('operations').composing = null
  void (Reflect.get(window, 'mutationGo') as (hash: string) => Promise<unknown>)('#/between')
  for (let waited = 0; waited < 3_000; waited += 5) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (document.querySelector('main h1')?.textContent.trim() === 'Page not found') {
      return { hasArrived: true, errors: [...watch.errors] }
    }
  }
  return { hasArrived: false, errors: [...watch.errors] }
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
