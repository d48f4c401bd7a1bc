import type { AnswerMeta } from '../../shared/ipc/bridge.ts'

/** An answer that can be viewed as sent even though rendering it failed. */
export interface AtHand {
  /** `GET /library/study-sets`. */
  readonly title: string
  readonly raw: ArrayBuffer
}

const MOST = 6
/** Newest first. Held weakly: an answer nothing else keeps is gone here as well. */
let recent: readonly { readonly title: string; readonly raw: WeakRef<ArrayBuffer> }[] = []

export function keepAtHand({ method, path }: AnswerMeta, raw: ArrayBuffer): void {
  const title = `${method} ${path}`.slice(0, 200)
  recent = [{ title, raw: new WeakRef(raw) }, ...recent.filter((one) => one.title !== title)].slice(0, MOST)
}

/** The last answers to distinct requests, newest first. */
export function answersAtHand(): readonly AtHand[] {
  return recent.flatMap(({ title, raw }) => {
    const held = raw.deref()
    return held ? [{ title, raw: held }] : []
  })
}
