/** Variables for running, the user's desktop and language; none holds a secret. */
const allowedNames = `
  PATH HOME USER LOGNAME SHELL TERM TZ LANG LANGUAGE TMPDIR TMP TEMP DISPLAY WAYLAND_DISPLAY XAUTHORITY
  DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION SESSION_MANAGER KDE_FULL_SESSION KDE_SESSION_VERSION
  GNOME_DESKTOP_SESSION_ID BROWSER MOZ_ENABLE_WAYLAND GDK_BACKEND QT_QPA_PLATFORM WSL_DISTRO_NAME
  WSL_INTEROP __CF_USER_TEXT_ENCODING SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS NUMBER_OF_PROCESSORS
  PROCESSOR_ARCHITECTURE APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432
  ALLUSERSPROFILE USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH PUBLIC
`
const names = new Set(allowedNames.trim().split(/\s+/))

/** Copies only the allowed variables. */
export function createChildEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const childEnv: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    // On Windows, the case of names varies.
    const isAllowed = names.has(name.toUpperCase()) || /^(?:LC|XDG)_[A-Z_]+$/.test(name)
    if (value !== undefined && isAllowed) childEnv[name] = value
  }
  return childEnv
}
