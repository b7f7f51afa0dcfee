-- What a server keeps of teams. Members have no right to a table: they call these functions, which know who calls by the login. Nobody can write
-- in another's name, read another's mail, decide about its own plan, or decide twice.
create schema fore_team;

create table fore_team.schema_version (version int primary key, at timestamptz not null default now());

create table fore_team.teams (
  name text primary key check (name ~ '^[a-z](-?[a-z0-9])*$' and length(name) <= 32),
  lead text not null,
  started timestamptz not null default clock_timestamp(),
  has_ended boolean not null default false
);

create table fore_team.members (
  team text not null references fore_team.teams,
  name text not null check (name ~ '^[a-z](-?[a-z0-9])*$' and length(name) <= 32),
  role text not null check (role in ('lead', 'required', 'voluntary')),
  login text not null,
  added timestamptz not null default clock_timestamp(),
  has_left boolean not null default false,
  status text not null default '{}' check (length(status) <= 20000),
  holder uuid,
  held_until timestamptz not null default '-infinity',
  -- Whether the holder's connection has the lock, so that the lock tells whether the holder lives.
  is_locked boolean not null default false,
  primary key (team, name),
  unique (team, login)
);

create table fore_team.mail (
  team text not null references fore_team.teams,
  id uuid not null,
  seq bigint generated always as identity,
  from_name text not null,
  to_name text not null,
  body text,
  at timestamptz not null default clock_timestamp(),
  holder uuid,
  is_done boolean not null default false,
  primary key (team, id)
);
create index mail_waiting on fore_team.mail (team, to_name, seq) where not is_done;

create table fore_team.tasks (
  team text not null references fore_team.teams,
  id int not null,
  key text not null,
  task jsonb not null,
  primary key (team, id),
  unique (team, key)
);

create table fore_team.requests (
  team text not null references fore_team.teams,
  request text not null check (length(request) <= 500),
  from_name text not null,
  path text not null check (length(path) <= 4096),
  content text not null check (octet_length(content) <= 262144),
  hash text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (team, request)
);

-- One row by its primary key: that is what makes a decision the only one.
create table fore_team.decisions (
  team text not null,
  request text not null,
  hash text not null,
  verdict jsonb not null,
  by_whom jsonb,
  decided_by text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (team, request),
  foreign key (team, request) references fore_team.requests
);

create function fore_team.refuse(code text, about text) returns void language plpgsql as $$
begin
  raise exception using errcode = code, message = about;
end $$;

create function fore_team.millis(at timestamptz) returns bigint language sql immutable as $$
  select floor(extract(epoch from at) * 1000)::bigint
$$;

create function fore_team.channel(team text, member text) returns text language sql immutable as $$
  select 'fore_team_' || md5(team || '/' || member)
$$;

-- The member that this login is.
create function fore_team.caller(in_team text) returns fore_team.members language plpgsql stable as $$
declare mine fore_team.members;
begin
  if not exists (select from fore_team.teams where name = in_team) then
    perform fore_team.refuse('FT001', in_team);
  end if;
  select * into mine from fore_team.members where team = in_team and login = session_user;
  if mine is null then perform fore_team.refuse('FT002', session_user::text); end if;
  return mine;
end $$;

-- The same for one that writes: it holds its place, has not left, and the team has not ended.
create function fore_team.writer(in_team text, by_holder uuid) returns fore_team.members language plpgsql stable as $$
declare mine fore_team.members := fore_team.caller(in_team);
begin
  if mine.holder is distinct from by_holder then perform fore_team.refuse('FT004', mine.name); end if;
  if mine.has_left then perform fore_team.refuse('FT003', mine.name); end if;
  if (select has_ended from fore_team.teams where name = in_team) then perform fore_team.refuse('FT008', in_team); end if;
  return mine;
end $$;

create function fore_team.lead(in_team text, by_holder uuid, doing text) returns fore_team.members language plpgsql stable as $$
declare mine fore_team.members := fore_team.writer(in_team, by_holder);
begin
  if mine.role <> 'lead' then perform fore_team.refuse('FT007', doing); end if;
  return mine;
end $$;

create function fore_team.present(in_team text, who text) returns void language plpgsql stable as $$
declare gone boolean;
begin
  select has_left into gone from fore_team.members where team = in_team and name = who;
  if gone is null then perform fore_team.refuse('FT009', who); end if;
  if gone then perform fore_team.refuse('FT003', who); end if;
end $$;

-- Locked by a live connection of whoever is this member: the lock goes with the process, the lease with the time.
create function fore_team.place_key(team text, member text) returns bigint language sql immutable as $$
  select hashtextextended('fore_team/' || team || '/' || member, 0)
$$;

create function fore_team.deliver(in_team text, message uuid, sender text, receiver text, said text) returns boolean
language plpgsql as $$
declare known fore_team.mail;
begin
  if exists (select from fore_team.mail where team = in_team and to_name = receiver and not is_done offset 9999 limit 1) then
    perform fore_team.refuse('FT010', receiver);
  end if;
  insert into fore_team.mail (team, id, from_name, to_name, body) values (in_team, message, sender, receiver, said)
    on conflict do nothing;
  if found then
    perform pg_notify(fore_team.channel(in_team, receiver), '');
    return true;
  end if;
  select * into known from fore_team.mail where team = in_team and id = message;
  if known.from_name <> sender or known.to_name <> receiver then perform fore_team.refuse('FT011', message::text); end if;
  return false;
end $$;

create function fore_team.version() returns int language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(version) from fore_team.schema_version
$$;

create function fore_team.teams() returns setof text language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select team from fore_team.members where login = session_user order by team
$$;

create function fore_team.start_team(in_team text, lead_name text, by_holder uuid, seconds int) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if (select count(*) from fore_team.members where login = session_user) >= 1000 then perform fore_team.refuse('FT014', 'the list of teams'); end if;
  insert into fore_team.teams (name, lead) values (in_team, lead_name) on conflict do nothing;
  if not found then
    -- The very same start once more, after a line that was lost.
    if exists (select from fore_team.members where team = in_team and login = session_user and role = 'lead' and holder = by_holder) then
      return;
    end if;
    perform fore_team.refuse('FT006', in_team);
  end if;
  insert into fore_team.members (team, name, role, login, holder, held_until)
    values (in_team, lead_name, 'lead', session_user, by_holder, clock_timestamp() + make_interval(secs => seconds));
end $$;

create function fore_team.open_place(in_team text, who text, by_holder uuid, seconds int) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare mine fore_team.members := fore_team.caller(in_team);
begin
  if mine.name <> who then perform fore_team.present(in_team, who); perform fore_team.refuse('FT002', session_user::text); end if;
  if mine.has_left then perform fore_team.refuse('FT003', who); end if;
  update fore_team.members
    set holder = by_holder, held_until = clock_timestamp() + make_interval(secs => seconds), is_locked = false
    where team = in_team and name = who and (holder is null or holder = by_holder or held_until < clock_timestamp()
      or is_locked and pg_try_advisory_xact_lock(fore_team.place_key(in_team, who)));
  if not found then perform fore_team.refuse('FT005', who); end if;
  delete from fore_team.mail where team = in_team and to_name = who and is_done and at < now() - interval '30 days';
  return (select lead from fore_team.teams where name = in_team);
end $$;

create function fore_team.keep_place(in_team text, by_holder uuid, seconds int) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare mine fore_team.members := fore_team.caller(in_team);
begin
  update fore_team.members
    set held_until = clock_timestamp() + make_interval(secs => seconds),
      is_locked = pg_try_advisory_lock(fore_team.place_key(in_team, mine.name))
    where team = in_team and name = mine.name and holder = by_holder;
  if not found then perform fore_team.refuse('FT004', mine.name); end if;
end $$;

create function fore_team.leave_place(in_team text, by_holder uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update fore_team.members set held_until = '-infinity' where team = in_team and login = session_user and holder = by_holder
$$;

create function fore_team.add_member(in_team text, by_holder uuid, who text, as_role text, with_login text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.lead(in_team, by_holder, 'put somebody on the roster');
  if as_role = 'lead' then perform fore_team.refuse('FT015', who); end if;
  if (select count(*) from fore_team.members where team = in_team) >= 200 then perform fore_team.refuse('FT014', 'the roster'); end if;
  insert into fore_team.members (team, name, role, login) values (in_team, who, as_role, with_login) on conflict do nothing;
  if not found and not exists (select from fore_team.members
    where team = in_team and name = who and role = as_role and login = with_login and not has_left and holder is null) then
    perform fore_team.refuse('FT015', who);
  end if;
end $$;

create function fore_team.record(in_team text, about text, said jsonb, whose jsonb, writer text) returns jsonb
language plpgsql as $$
declare taken fore_team.decisions; is_new boolean;
begin
  insert into fore_team.decisions (team, request, hash, verdict, by_whom, decided_by)
    select in_team, about, hash, said, whose, writer from fore_team.requests where team = in_team and request = about
    on conflict do nothing;
  is_new := found;
  select * into taken from fore_team.decisions where team = in_team and request = about;
  return jsonb_build_object(
    'counts', is_new or (taken.verdict = said and taken.by_whom is not distinct from whose and taken.decided_by = writer),
    'is_new', is_new,
    'decision', jsonb_build_object('request', taken.request, 'hash', taken.hash, 'verdict', taken.verdict, 'by', taken.by_whom,
      'decided_by', taken.decided_by, 'at', fore_team.millis(taken.at)));
end $$;

create function fore_team.remove_member(in_team text, by_holder uuid, who text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare me fore_team.members := fore_team.lead(in_team, by_holder, 'take somebody off the roster');
begin
  if who = me.name then perform fore_team.refuse('FT016', who); end if;
  if not exists (select from fore_team.members where team = in_team and name = who) then perform fore_team.refuse('FT009', who); end if;
  update fore_team.members set has_left = true where team = in_team and name = who;
  update fore_team.tasks set task = task || '{"owner": null, "state": "open"}'
    where team = in_team and task ->> 'owner' = who and task ->> 'state' not in ('done', 'dropped');
  perform fore_team.record(in_team, r.request, '{"is": "withdrawn"}', null, me.name)
    from fore_team.requests r where r.team = in_team and r.from_name = who
    and not exists (select from fore_team.decisions d where d.team = in_team and d.request = r.request);
end $$;

create function fore_team.end_team(in_team text, by_holder uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.lead(in_team, by_holder, 'end the team');
  update fore_team.teams set has_ended = true where name = in_team;
end $$;

create function fore_team.set_status(in_team text, by_holder uuid, said text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare me fore_team.members := fore_team.writer(in_team, by_holder);
begin
  update fore_team.members set status = said where team = in_team and name = me.name;
end $$;

create function fore_team.send(in_team text, by_holder uuid, message uuid, receiver text, said text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.writer(in_team, by_holder);
  kind text := said::jsonb ->> 'kind';
begin
  perform fore_team.present(in_team, receiver);
  if receiver = me.name then perform fore_team.refuse('FT017', receiver); end if;
  if octet_length(said) > 500000 then perform fore_team.refuse('FT018', octet_length(said)::text); end if;
  if kind = 'shutdown_request' and me.role <> 'lead' then perform fore_team.refuse('FT007', 'ask somebody to end'); end if;
  if kind = 'task_assigned' and me.role <> 'lead' then perform fore_team.refuse('FT007', 'assign a task'); end if;
  if kind is null or kind not in ('text', 'idle', 'shutdown_request', 'shutdown_response', 'task_assigned') then
    perform fore_team.refuse('FT019', 'request');
  end if;
  return fore_team.deliver(in_team, message, me.name, receiver, said);
end $$;

-- Hands out what is not done, but for what the caller knows that it has: an answer that was lost on the way loses nothing.
create function fore_team.claim(in_team text, by_holder uuid, known uuid[], most int)
returns table (id text, seq bigint, from_name text, at bigint, body text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare me fore_team.members := fore_team.caller(in_team);
begin
  if me.holder is distinct from by_holder then perform fore_team.refuse('FT004', me.name); end if;
  return query
    update fore_team.mail m set holder = by_holder
    where (m.team, m.id) in (
      select w.team, w.id from fore_team.mail w
      where w.team = in_team and w.to_name = me.name and not w.is_done and w.id <> all (known)
      order by w.seq limit least(most, 256) for update skip locked)
    returning m.id::text, m.seq, m.from_name, fore_team.millis(m.at), m.body;
end $$;

create function fore_team.done(in_team text, by_holder uuid, message uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare me fore_team.members := fore_team.caller(in_team);
begin
  if me.holder is distinct from by_holder then perform fore_team.refuse('FT004', me.name); end if;
  update fore_team.mail set is_done = true, body = null where team = in_team and id = message and to_name = me.name;
end $$;

create function fore_team.has_mail(in_team text, by_holder uuid, known uuid[]) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare me fore_team.members := fore_team.caller(in_team);
begin
  if me.holder is distinct from by_holder then perform fore_team.refuse('FT004', me.name); end if;
  return exists (select from fore_team.mail
    where team = in_team and to_name = me.name and not is_done and id <> all (known));
end $$;

create function fore_team.tasks(in_team text) returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.caller(in_team);
  return query select t.task::text from fore_team.tasks t where t.team = in_team order by t.id;
end $$;

create function fore_team.add_task(in_team text, by_holder uuid, new_key text, new_task jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.writer(in_team, by_holder);
  known jsonb; next int; need int;
begin
  perform from fore_team.teams where name = in_team for update;
  select task into known from fore_team.tasks where team = in_team and key = new_key;
  if known is not null then return known::text; end if;
  if new_task ->> 'owner' is not null then
    perform fore_team.present(in_team, new_task ->> 'owner');
    if new_task ->> 'owner' <> me.name and me.role <> 'lead' then
      perform fore_team.refuse('FT007', 'give a task to somebody else');
    end if;
  end if;
  select coalesce(max(id), 0) + 1 into next from fore_team.tasks where team = in_team;
  if next > 1000 then perform fore_team.refuse('FT014', 'the list of tasks'); end if;
  for need in select jsonb_array_elements_text(new_task -> 'needs')::int loop
    if not exists (select from fore_team.tasks where team = in_team and id = need) then
      perform fore_team.refuse('FT020', need::text);
    end if;
  end loop;
  known := new_task || jsonb_build_object('id', next, 'key', new_key, 'state', 'open', 'added_by', me.name);
  insert into fore_team.tasks (team, id, key, task) values (in_team, next, new_key, known);
  return known::text;
end $$;

-- Puts a task in the place of the one that the caller has read; false if somebody was faster. Only owner and state change.
create function fore_team.change_task(in_team text, by_holder uuid, number int, was jsonb, new_owner text, new_state text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.writer(in_team, by_holder);
  now_is jsonb; need int;
begin
  select task into now_is from fore_team.tasks where team = in_team and id = number for update;
  if now_is is null then perform fore_team.refuse('FT020', number::text); end if;
  if now_is <> was then return false; end if;
  if me.role <> 'lead' and (coalesce(now_is ->> 'owner', me.name) <> me.name or coalesce(new_owner, me.name) <> me.name) then
    perform fore_team.refuse('FT007', 'change the task of somebody else');
  end if;
  if new_state not in ('open', 'in_progress', 'awaiting_approval', 'done', 'dropped') or now_is ->> 'state' in ('done', 'dropped') then
    perform fore_team.refuse('FT021', number::text);
  end if;
  if new_state in ('in_progress', 'awaiting_approval', 'done') then
    for need in select jsonb_array_elements_text(now_is -> 'needs')::int loop
      if not exists (select from fore_team.tasks where team = in_team and id = need and task ->> 'state' = 'done') then
        return false;
      end if;
    end loop;
  end if;
  if new_owner is not null then perform fore_team.present(in_team, new_owner); end if;
  update fore_team.tasks set task = task || jsonb_build_object('owner', new_owner, 'state', new_state)
    where team = in_team and id = number;
  return true;
end $$;

create function fore_team.as_request(r fore_team.requests) returns jsonb language sql stable as $$
  select jsonb_build_object('request', r.request, 'from', r.from_name, 'plan_file_path', r.path, 'plan_content', r.content,
    'hash', r.hash, 'at', fore_team.millis(r.at))
$$;

create function fore_team.ask_approval(in_team text, by_holder uuid, about text, at_path text, plan text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.writer(in_team, by_holder);
  known fore_team.requests;
begin
  if me.role = 'lead' then perform fore_team.refuse('FT022', me.name); end if;
  perform from fore_team.members where team = in_team and name = me.name for update;
  select * into known from fore_team.requests where team = in_team and request = about;
  if known is null then
    if (select count(*) from fore_team.requests where team = in_team) >= 2000 then
      perform fore_team.refuse('FT014', 'the list of requests');
    end if;
    if exists (select from fore_team.requests r where r.team = in_team and r.from_name = me.name
      and not exists (select from fore_team.decisions d where d.team = in_team and d.request = r.request)) then
      perform fore_team.refuse('FT012', me.name);
    end if;
    insert into fore_team.requests (team, request, from_name, path, content, hash)
      values (in_team, about, me.name, at_path, plan, encode(sha256(convert_to(plan, 'UTF8')), 'hex')) returning * into known;
    perform fore_team.deliver(in_team, gen_random_uuid(), me.name, (select lead from fore_team.teams where name = in_team),
      jsonb_build_object('kind', 'plan_request', 'content', jsonb_build_object('type', 'plan_approval_request', 'from', me.name,
        'timestamp', fore_team.millis(known.at), 'planFilePath', at_path, 'planContent', plan,
        'planHash', known.hash, 'requestId', about))::text);
  elsif known.from_name <> me.name or known.path <> at_path or known.content <> plan then
    perform fore_team.refuse('FT013', about);
  end if;
  return fore_team.as_request(known)::text;
end $$;

create function fore_team.open_requests(in_team text) returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.caller(in_team);
  return query select fore_team.as_request(r)::text from fore_team.requests r where r.team = in_team
    and not exists (select from fore_team.decisions d where d.team = in_team and d.request = r.request)
    order by r.at, r.request;
end $$;

create function fore_team.decide(in_team text, by_holder uuid, about text, shown text, said jsonb, whose jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.lead(in_team, by_holder, 'decide about a plan');
  asked fore_team.requests; outcome jsonb;
begin
  select * into asked from fore_team.requests where team = in_team and request = about;
  if asked is null then perform fore_team.refuse('FT023', about); end if;
  if asked.from_name = me.name then perform fore_team.refuse('FT022', me.name); end if;
  if asked.hash <> shown then perform fore_team.refuse('FT024', about); end if;
  if said ->> 'is' is null or said ->> 'is' not in ('approved', 'rejected') or whose is null or octet_length(said::text) > 500000 then
    perform fore_team.refuse('FT019', 'decision');
  end if;
  outcome := fore_team.record(in_team, about, said, whose, me.name);
  if (outcome ->> 'is_new')::boolean and not (select has_left from fore_team.members where team = in_team and name = asked.from_name) then
    perform fore_team.deliver(in_team, gen_random_uuid(), me.name, asked.from_name,
      jsonb_build_object('kind', 'plan_response', 'content', jsonb_build_object('type', 'plan_approval_response', 'from', me.name,
        'timestamp', outcome -> 'decision' -> 'at', 'requestId', about, 'planHash', asked.hash,
        'person', whose #> '{person,via}', 'approved', said ->> 'is' = 'approved',
        'mode', said -> 'mode', 'feedback', coalesce(said ->> 'feedback', '')))::text);
  end if;
  return outcome::text;
end $$;

create function fore_team.withdraw(in_team text, by_holder uuid, about text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me fore_team.members := fore_team.writer(in_team, by_holder);
  asked fore_team.requests; outcome jsonb;
begin
  select * into asked from fore_team.requests where team = in_team and request = about;
  if asked is null then perform fore_team.refuse('FT023', about); end if;
  if asked.from_name <> me.name then perform fore_team.refuse('FT025', about); end if;
  outcome := fore_team.record(in_team, about, '{"is": "withdrawn"}', null, me.name);
  if (outcome ->> 'is_new')::boolean then
    perform fore_team.deliver(in_team, gen_random_uuid(), me.name, (select lead from fore_team.teams where name = in_team),
      jsonb_build_object('kind', 'plan_withdrawn', 'content', about)::text);
  end if;
  return outcome::text;
end $$;

create function fore_team.decision(in_team text, about text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.caller(in_team);
  return (select jsonb_build_object('request', d.request, 'hash', d.hash, 'verdict', d.verdict, 'by', d.by_whom,
    'decided_by', d.decided_by, 'at', fore_team.millis(d.at))::text
    from fore_team.decisions d where d.team = in_team and d.request = about);
end $$;

create function fore_team.overview(in_team text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform fore_team.caller(in_team);
  return (select jsonb_build_object('lead', t.lead, 'started', fore_team.millis(t.started), 'has_ended', t.has_ended,
    'members', (select jsonb_agg(jsonb_build_object('name', m.name, 'role', m.role, 'added', fore_team.millis(m.added),
      'has_left', m.has_left, 'is_open', m.held_until > clock_timestamp(), 'status', m.status,
      'waiting_mail', (select count(*) from fore_team.mail w where w.team = in_team and w.to_name = m.name and not w.is_done)
      ) order by m.name collate "C") from fore_team.members m where m.team = in_team))::text
    from fore_team.teams t where t.name = in_team);
end $$;

-- Nobody but members calls anything here, and only what is made for them.
revoke all on all functions in schema fore_team from public;
grant usage on schema fore_team to fore_team_member;
grant execute on function fore_team.version, fore_team.teams(), fore_team.start_team, fore_team.open_place, fore_team.keep_place,
  fore_team.leave_place, fore_team.add_member, fore_team.remove_member, fore_team.end_team, fore_team.set_status, fore_team.send,
  fore_team.claim, fore_team.done, fore_team.has_mail, fore_team.tasks(text), fore_team.add_task,
  fore_team.change_task, fore_team.ask_approval, fore_team.open_requests, fore_team.decide, fore_team.withdraw, fore_team.decision,
  fore_team.overview, fore_team.channel to fore_team_member;

insert into fore_team.schema_version (version) values (1);
