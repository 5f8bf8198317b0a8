create or replace function count_requests(owner uuid, key text, requests integer, rate_limit integer, now bigint, minute bigint, waits boolean,
  out window_start bigint, out used integer, out admitted integer, out last_used bigint) language plpgsql as $$
#variable_conflict use_column
begin
  update key_counts c set used = c.used + requests, reserved = c.reserved - requests
    where c.owner_id = owner and c.key_id = (select l.key_id from key_counts l where l.owner_id = owner and l.key_id = key for update skip locked)
      and now between c.window_start - 120000 and c.window_start + 3599999 and c.reserved >= requests and c.last_used = minute
    returning c.window_start, c.used, requests, c.last_used into window_start, used, admitted, last_used;
  if found then return; end if;
end $$;
create or replace function count_requests2(owner uuid, key text, requests integer, rate_limit integer, now bigint, minute bigint, waits boolean,
  out window_start bigint, out used integer, out admitted integer, out last_used bigint) language plpgsql as $$
#variable_conflict use_column
declare c record;
begin
  select l.window_start, l.used, l.reserved, l.last_used into c from key_counts l where l.owner_id = owner and l.key_id = key for update skip locked;
  if now between c.window_start - 120000 and c.window_start + 3599999 and c.reserved >= requests and c.last_used = minute then
    update key_counts u set used = c.used + requests, reserved = c.reserved - requests where u.owner_id = owner and u.key_id = key;
    window_start := c.window_start; used := c.used + requests; admitted := requests; last_used := c.last_used;
  end if;
end $$;
