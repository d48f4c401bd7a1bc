import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { createOpenExternal } from '../../shared/external.ts'
import { mustAsk, openOutside } from '../ipc/external.ts'

/** Addresses of the host that lead out of the app: checked, shown whole, and opened only when the person says so. */
export const useExternal = defineStore('external', () => {
  /** The address that is asked about. */
  const asked = shallowRef<string | null>(null)
  let decide: (yes: boolean) => void = () => undefined

  function ask(href: string): Promise<boolean> {
    asked.value = href
    return new Promise((resolve) => (decide = resolve))
  }

  /** What the person says to the address that is asked about. */
  function answer(yes: boolean): void {
    asked.value = null
    decide(yes)
  }

  const open = createOpenExternal({ confirm: mustAsk ? ask : () => Promise.resolve(true), open: openOutside })
  return { asked, answer, open }
})
