/** Texts of `lat help TOPIC`, in the order in which the help names them. */
export const topics = {
  keys: `KEYS

  A program reaches an account with an API key, sent with every request:

      Authorization: Bearer lat_<id>_<secret>

  lat key create shows a key once; only a hash of it is kept. The last six characters are a check
  sum, so that a mistyped key is refused without asking the database. Whoever has the key can do
  what its scopes allow: keep it out of repositories, logs and process arguments.

  Give every program a key of its own, with a name and no more scopes than it needs, so that one can
  be revoked without the others noticing. A revoked key is refused at once, everywhere.

  A key may make 1000 requests an hour; lat key create --rate-limit sets another number.

  When a device is lost, lat account revoke ends every key of the account at once, and all else that
  opens it.

EXAMPLES
      lat key create --account ann@example.com --name backup --scopes read:lists,read:things
      lat key list --account ann@example.com
      lat key revoke 3kTMd9sLq0Xy

SEE ALSO
      lat help scopes`,
  scopes: `SCOPES

  What a key may do. lat key create gives all of them when none are named.

      read:lists     read lists
      write:lists    create, update and delete lists
      read:things    read things, reminders and tags
      write:things   create, update and delete things and reminders
      search         search lists and things

  A request that needs a scope which its key lacks is answered with 403 and names the scope. Scopes
  of a key never change: make a new key and revoke the old one.

EXAMPLES
      lat key create --account ann@example.com --name dashboard --scopes read:lists,read:things
      lat key create --account ann@example.com --name inbox --scopes write:things

SEE ALSO
      lat help keys`,
  webhooks: `WEBHOOKS

  A webhook tells another system when a reminder is due and when something changed. A running server
  delivers; commands only set webhooks up and show what came of them.

  One line is all that is needed to have reminders on a phone with the ntfy app, which listens to
  the topic my-topic:

      lat webhook create --url https://ntfy.sh/my-topic --format ntfy --events reminder.due

  Formats: standard is Standard Webhooks, JSON signed with a secret; ntfy is a text with a title and
  a link; slack is { "text" }, which many chats take. Failures are tried again for three days, and
  lat webhook log shows what came back.

  Addresses of private networks, and http, are refused unless the server's LAT_WEBHOOK_ALLOW names
  them.

EXAMPLES
      lat webhook list
      lat webhook test 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10
      LAT_WEBHOOK_ALLOW=192.168.0.0/16 lat webhook create --url http://192.168.1.5:8123/api/webhook/lists --events reminder.due

SEE ALSO
      docs/webhooks.md`,
  backup: `BACKUP

  lat export --format json writes everything that an account owns to one file: its settings, lists,
  things with their order and nesting, reminders, places and webhooks, one record a line. Keys,
  passwords and the secrets of webhooks are never in it. The file is written under another name
  first, so that a good backup is never replaced by half of one. It runs while the server runs, and
  sees one moment.

  lat restore reads it into an empty account, in this installation or another one, and keeps all ids.
  With --merge the account may own things already: what has an id that is there is skipped. Either
  everything is restored or nothing; a damaged file is refused with the line of the damage. Webhooks
  come back switched off.

  lat export --format markdown writes one readable file a list. lat import brings such files back as
  new lists, without reminders and ids.

  For a backup of the whole installation, with keys, sign-ins and history, there is lat db dump, and
  lat db load brings it back into an empty one, on another machine or another PostgreSQL.

EXAMPLES
      lat db dump /var/backups/lists.dump
      lat export --account ann@example.com --out /var/backups/lists
      lat account create --email ann@example.com
      lat restore /var/backups/lists/ann@example.com.json --account ann@example.com

      # every night, the whole installation
      lat db dump "/var/backups/lists-$(date +%F).dump" --quiet

SEE ALSO
      docs/backup-and-upgrade.md`
}

export type TopicName = keyof typeof topics
export const topicNames = Object.keys(topics) as ReadonlyArray<TopicName>
