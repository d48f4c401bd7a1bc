// Small pictures of a panel's page, which are taken by themselves, so that a recording shows what
// its user saw. They are in memory until a recording is saved.
import { getFindingClass } from '../../../shared/protocol/rule-table.ts'
import type { Bus } from '../bus.ts'
import type { Findings } from '../findings/findings.ts'
import type { Recorder } from '../traffic/recorder.ts'

export interface PanelPicture {
  /** Epoch milliseconds. */
  readonly at: number
  /** The opening of the panel (`Origin.caller`). */
  readonly caller: string
  /** `seq` of the exchange for which it was taken; null for a load. */
  readonly seq: number | null
  /** A JPEG or PNG; null if it was too large. */
  readonly bytes: Uint8Array | null
}

/** Resolves to a JPEG or PNG of the panel's page; to null if the page is not in sight. */
export type TakePanelPicture = () => Promise<Uint8Array | null>

type FindSeq = () => Promise<number | null> | number | null

interface Options {
  readonly bus: Pick<Bus, 'on'>
  readonly take: TakePanelPicture
  readonly recorder: Pick<Recorder, 'isPaused'> & { readonly store: Pick<Recorder['store'], 'seqOf'> }
  readonly findings: Pick<Findings, 'listAll'>
  readonly isEnabled: () => boolean
  /** Identifies the opening of the panel that runs; null if none does. */
  readonly getCaller: () => string | null
}

/** The oldest pictures are removed first. */
export const MAX_PANEL_PICTURES = 200
const MAX_PICTURE_BYTES = 262_144
const MIN_INTERVAL_MS = 1_000
/** The page shows by then what it makes of a response, or of its load. */
const DRAWING_MS = 250
const LOADING_MS = 1_000
/** A window that is not drawn, such as a minimised one, may never answer. */
const TAKING_TIMEOUT_MS = 3_000

/**
 * Takes a picture at each load, finding, failed call and write of the panel, at most one a second:
 * events within that time have one picture together. Nothing waits for it.
 */
export class PanelPictures {
  readonly #options: Options
  readonly #pictures: PanelPicture[] = []
  readonly #stopListening: readonly (() => void)[]
  #timer: NodeJS.Timeout | null = null
  /** Set while a picture is being taken. */
  #taking: Promise<void> | null = null
  #isDue = false
  #earliestMs = 0
  /** Finds the exchange of the first event since the last picture that is about one. */
  #findSeq: FindSeq | null = null
  #loadedAt: number | null = null
  #seenFindings: ReadonlySet<string> = new Set()

  constructor(options: Options) {
    this.#options = options
    const { bus, recorder } = options
    this.#stopListening = [
      bus.on('panel.changed', ({ loadedAt }) => {
        const isNewLoad = loadedAt !== null && loadedAt !== this.#loadedAt
        this.#loadedAt = loadedAt
        if (isNewLoad) this.#request(LOADING_MS)
      }),
      bus.on('traffic.panelCallEnded', ({ id, caller, isNotable }) => {
        if (isNotable && caller === options.getCaller()) this.#request(DRAWING_MS, () => recorder.store.seqOf(id))
      }),
      bus.on('findings.changed', () => this.#requestForFindings()),
    ]
  }

  /** Takes a picture that is due at once. The oldest picture is first. */
  async list(): Promise<readonly PanelPicture[]> {
    await this.#taking
    if (this.#isDue) await this.#start()
    return [...this.#pictures]
  }

  close(): void {
    for (const stop of this.#stopListening) stop()
    if (this.#timer) clearTimeout(this.#timer)
  }

  #requestForFindings(): void {
    const caller = this.#options.getCaller()
    if (caller === null) return
    const findings = this.#options.findings
      .listAll()
      .filter((finding) => finding.origin.caller === caller && getFindingClass(finding) === 'findings')
    const added = findings.findLast(({ id }) => !this.#seenFindings.has(id))
    this.#seenFindings = new Set(findings.map(({ id }) => id))
    if (added) this.#request(DRAWING_MS, () => added.exchanges.at(-1) ?? null)
  }

  #request(delayMs: number, findSeq: FindSeq | null = null): void {
    const { recorder, isEnabled } = this.#options
    if (recorder.isPaused() || !isEnabled()) return
    this.#findSeq ??= findSeq
    if (this.#isDue) return
    this.#isDue = true
    this.#timer = setTimeout(() => void this.#start(), Math.max(delayMs, this.#earliestMs - performance.now())).unref()
  }

  #start(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#isDue = false
    this.#earliestMs = performance.now() + MIN_INTERVAL_MS
    // A slow picture is waited for, so that no two are taken at the same time.
    const taking = (this.#taking ?? Promise.resolve()).then(() => this.#take())
    this.#taking = taking
    return taking
  }

  async #take(): Promise<void> {
    const { take, getCaller } = this.#options
    const [caller, findSeq, timestamp] = [getCaller(), this.#findSeq, Date.now()]
    this.#findSeq = null
    const timeout = new Promise<null>((resolve) => setTimeout(resolve, TAKING_TIMEOUT_MS, null).unref())
    const bytes = await Promise.race([take(), timeout]).catch(() => null)
    if (bytes === null || caller === null || caller !== getCaller()) return
    const keptBytes = bytes.byteLength > MAX_PICTURE_BYTES ? null : bytes
    this.#pictures.push({ at: timestamp, caller, seq: (await findSeq?.()) ?? null, bytes: keptBytes })
    if (this.#pictures.length > MAX_PANEL_PICTURES) this.#pictures.shift()
  }
}
