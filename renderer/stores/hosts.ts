import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { DoctorStep, FoundHost, InstallCode } from '../../shared/ipc/connection.ts'
import type { ProfileDraft, ProfileView } from '../../shared/ipc/profiles.ts'
import { call } from '../ipc/call.ts'
import { asAppError, isCancelled } from './errors.ts'

/** Hosts found on this machine, pairing, the demo library, and the connection diagnosis. */
export const useHosts = defineStore('hosts', () => {
  const found = shallowRef<readonly FoundHost[] | null>(null)
  const scanning = shallowRef(false)
  const scanError = shallowRef<AppError | null>(null)
  const report = shallowRef<{ profileId: string; steps: readonly DoctorStep[] } | null>(null)
  const examining = shallowRef<string | null>(null)
  let examination: AbortController | null = null

  /** Scans this machine; connects to nothing. */
  async function scan(): Promise<void> {
    if (scanning.value) return
    scanning.value = true
    try {
      found.value = await call('discovery.scan', {})
      scanError.value = null
    } catch (thrown) {
      scanError.value = asAppError(thrown)
    } finally {
      scanning.value = false
    }
  }

  /** Checks the steps of a connection; the last report stays until the next. Throws what `call` throws, except for cancels. */
  async function examine(profileId: string): Promise<void> {
    cancelExamination()
    const mine = new AbortController()
    examination = mine
    examining.value = profileId
    try {
      const steps = await call('connection.doctor', { profileId }, { signal: mine.signal })
      if (examination === mine) report.value = { profileId, steps }
    } catch (thrown) {
      if (!isCancelled(thrown)) throw thrown
    } finally {
      if (examination === mine) cancelExamination()
    }
  }

  /** The report says nothing about a host that has changed since. */
  function forgetReport(profileId: string): void {
    if (report.value?.profileId === profileId) report.value = null
    if (examining.value === profileId) cancelExamination()
  }

  function cancelExamination(): void {
    examination?.abort()
    examination = null
    examining.value = null
  }

  /** The same diagnosis for a host that is being entered; nothing is saved or connected. `token`: null = the one that is kept. */
  const test = (profile: ProfileDraft, token: string | null, signal: AbortSignal): Promise<readonly DoctorStep[]> =>
    call('connection.test', { profile, token }, { signal })

  /** `confirmed`: the user was asked, because the host `asks`. */
  const adopt = (foundId: string, useToken: boolean, confirmed: boolean): Promise<ProfileView> =>
    call('discovery.adopt', { foundId, useToken, confirmed })

  /** A code for the installation of the host's command line tool: kept nowhere. */
  const installCode = (): Promise<InstallCode> => call('connection.installCode', {})

  const pair = (input: { name: string; baseUrl: string; code: string; deviceName: string }): Promise<ProfileView> =>
    call('discovery.pair', input)

  const startDemo = async (): Promise<string> => (await call('app.startDemo', {})).profileId

  const trust = (profileId: string, fingerprint: string): Promise<ProfileView> =>
    call('connection.trustCertificate', { profileId, fingerprint })

  return {
    found,
    scanning,
    scanError,
    report,
    examining,
    scan,
    examine,
    cancelExamination,
    forgetReport,
    test,
    adopt,
    pair,
    installCode,
    startDemo,
    trust,
  }
})
