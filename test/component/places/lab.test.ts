import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import LabPlace from '../../../renderer/places/lab/LabPlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { LabRun } from '../../../shared/ipc/lab.ts'
import { findAllByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test('Run all runs every plan that is shown and can run, and leaves skipped ones unchanged', async () => {
  const ran: (string | null)[] = []
  const plan = ({ probe }: IpcInput<'lab.plan'>): LabRun =>
    probe === 'wrong-study-set'
      ? { probe, result: 'skipped', reason: 'no-other-set', plan: null, steps: [] }
      : { probe, result: 'planned', reason: null, plan: `plan of ${probe}`, steps: [] }
  installFakeServiceProcess({
    'lab.plan': (input) => plan(input as IpcInput<'lab.plan'>),
    'lab.run': (input) => {
      const { probe, plan: visible } = input as IpcInput<'lab.run'>
      ran.push(visible)
      return { probe, result: 'as-expected', reason: null, plan: null, steps: [] }
    },
  })
  const page = mountComponent(LabPlace)
  useConnection().state = createConnectionState()
  await flushPromises()
  const press = async (name: string): Promise<void> => {
    findAllByRole('button')
      .find(({ textContent }) => textContent.trim() === name)
      ?.click()
    await flushPromises()
  }
  await press('Show all plans')
  await press('Run all')
  expect(ran).toHaveLength(6)
  expect(ran).not.toContain(null)
  expect(findAllByRole('alert')).toEqual([])
  expect(page.text()).toContain('skipped')
})
