import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { createOpenExternal } from '../../shared/external.ts'
import { mustAsk, openOutside } from '../ipc/call.ts'

/** Addresses from the host that leave the app: checked, shown in full, and opened only if the user agrees. */
export const useExternal = defineStore('external', () => {
  /** The address the user is being asked about. */
  const asked = shallowRef<string | null>(null)
  let decide: (yes: boolean) => void = () => undefined

  function ask(href: string): Promise<boolean> {
    asked.value = href
    return new Promise((resolve) => (decide = resolve))
  }

  /** The user's decision on that address. */
  function answer(yes: boolean): void {
    asked.value = null
    decide(yes)
  }

  const open = createOpenExternal({ confirm: mustAsk ? ask : () => Promise.resolve(true), open: openOutside })
  return { asked, answer, open }
})
