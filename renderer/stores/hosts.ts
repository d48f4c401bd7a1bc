import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { DoctorStep, DiscoveredHost, InstallCode } from '../../shared/ipc/connection.ts'
import type { ProfileDraft, ProfileView } from '../../shared/ipc/profiles.ts'
import { call } from '../ipc/call.ts'
import { toAppError, isCancellation } from './errors.ts'

/** Hosts found on this machine, pairing, the demo library, and the connection diagnosis. */
export const useHosts = defineStore('hosts', () => {
  const foundHosts = shallowRef<readonly DiscoveredHost[] | null>(null)
  const isScanning = shallowRef(false)
  const scanError = shallowRef<AppError | null>(null)
  const report = shallowRef<{ profileId: string; steps: readonly DoctorStep[] } | null>(null)
  const examiningProfileId = shallowRef<string | null>(null)
  let examination: AbortController | null = null

  /** Scans this machine; connects to nothing. */
  async function scan(): Promise<void> {
    if (isScanning.value) return
    isScanning.value = true
    try {
      foundHosts.value = await call('discovery.scan', {})
      scanError.value = null
    } catch (thrown) {
      scanError.value = toAppError(thrown)
    } finally {
      isScanning.value = false
    }
  }

  /** Checks the steps of a connection; the last report stays until the next. Throws what `call` throws, except for cancels. */
  async function examine(profileId: string): Promise<void> {
    cancelExamination()
    const mine = new AbortController()
    examination = mine
    examiningProfileId.value = profileId
    try {
      const steps = await call('connection.doctor', { profileId }, { signal: mine.signal })
      if (examination === mine) report.value = { profileId, steps }
    } catch (thrown) {
      if (!isCancellation(thrown)) throw thrown
    } finally {
      if (examination === mine) cancelExamination()
    }
  }

  /** The report says nothing about a host that has changed since. */
  function forgetReport(profileId: string): void {
    if (report.value?.profileId === profileId) report.value = null
    if (examiningProfileId.value === profileId) cancelExamination()
  }

  function cancelExamination(): void {
    examination?.abort()
    examination = null
    examiningProfileId.value = null
  }

  /** The same diagnosis for a host that is being entered; nothing is saved or connected. `token`: null = the one that is kept. */
  const testProfile = (
    profile: ProfileDraft,
    token: string | null,
    signal: AbortSignal,
  ): Promise<readonly DoctorStep[]> => call('connection.test', { profile, token }, { signal })

  /** `confirmed`: the user was asked, because the host `asks`. */
  const adoptFoundHost = (foundId: string, useToken: boolean, confirmed: boolean): Promise<ProfileView> =>
    call('discovery.adopt', { foundId, useToken, confirmed })

  /** A code for the installation of the host's command line tool: kept nowhere. */
  const requestInstallCode = (): Promise<InstallCode> => call('connection.installCode', {})

  const pair = (input: { name: string; baseUrl: string; code: string; deviceName: string }): Promise<ProfileView> =>
    call('discovery.pair', input)

  const startDemo = async (): Promise<string> => (await call('app.startDemo', {})).profileId

  const trustCertificate = (profileId: string, fingerprint: string): Promise<ProfileView> =>
    call('connection.trustCertificate', { profileId, fingerprint })

  return {
    found: foundHosts,
    scanning: isScanning,
    scanError,
    report,
    examining: examiningProfileId,
    scan,
    examine,
    cancelExamination,
    forgetReport,
    test: testProfile,
    adopt: adoptFoundHost,
    pair,
    installCode: requestInstallCode,
    startDemo,
    trust: trustCertificate,
  }
})
