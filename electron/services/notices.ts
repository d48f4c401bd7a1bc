import type { Notice } from '../../shared/ipc/app.ts'
import type { Bus } from './bus.ts'

/** A notice before it is added. */
export type NewNotice = Omit<Notice, 'id' | 'at'>

/** Things the user should know that belong to no single call; kept until dismissed, and pushed when they are added. */
export interface Notices {
  add(notice: NewNotice): void
  dismiss(id: string): void
  list(): Notice[]
}

export function createNotices(bus: Bus): Notices {
  let kept: Notice[] = []
  let count = 0
  return {
    add(notice) {
      count += 1
      const full = { ...notice, id: `n${count}`, at: Date.now() }
      kept = [...kept.slice(-49), full]
      bus.publish('app.notice', full)
    },
    dismiss(id) {
      kept = kept.filter((notice) => notice.id !== id)
    },
    list: () => kept,
  }
}
