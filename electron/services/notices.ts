import type { Notice } from '../../shared/ipc/app.ts'
import type { Bus } from './bus.ts'

/** A notice before it gets its id and time. */
export type NewNotice = Omit<Notice, 'id' | 'at'>

/** Messages that belong to no call, such as a broken settings file; stored until dismissed. */
export interface Notices {
  add(notice: NewNotice): void
  dismiss(id: string): void
  list(): Notice[]
}

export function createNotices(bus: Bus): Notices {
  let notices: Notice[] = []
  let count = 0
  return {
    add(notice) {
      count += 1
      const newNotice = { ...notice, id: `n${count}`, at: Date.now() }
      notices = [...notices.slice(-49), newNotice]
      bus.publish('app.notice', newNotice)
    },
    dismiss(id) {
      notices = notices.filter((notice) => notice.id !== id)
    },
    list: () => notices,
  }
}
